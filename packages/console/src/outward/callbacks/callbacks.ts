import { lazyPart } from '#console/core/language.ts'

export const CallbacksTab = lazyPart(() => import('./callbacks-tab.tsx'))
