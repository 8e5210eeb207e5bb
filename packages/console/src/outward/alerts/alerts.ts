import { lazyPart } from '#console/ui/lazy-part.tsx'

export const AlertsTab = lazyPart(() => import('./alerts-tab.tsx'))
