import { lazyPart } from '#console/core/language.ts'

export const AlertsTab = lazyPart(() => import('./alerts-tab.tsx'))
