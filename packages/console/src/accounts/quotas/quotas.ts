import { lazyPart } from '#console/core/language.ts'

export const QuotasTab = lazyPart(() => import('./quotas-tab.tsx'))
