import { lazyPart } from '#console/core/language.ts'

export const OptOutsTab = lazyPart(() => import('./opt-outs-tab.tsx'))
