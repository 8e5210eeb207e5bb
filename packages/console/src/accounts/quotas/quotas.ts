import { lazyPart } from '#console/ui/lazy-part.tsx'

export const QuotasTab = lazyPart(() => import('./quotas-tab.tsx'))
