import { lazyPart } from '#console/ui/lazy-part.tsx'

export const AuditTab = lazyPart(() => import('./audit-tab.tsx'))
