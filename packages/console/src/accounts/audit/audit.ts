import { lazyPart } from '#console/core/language.ts'

export const AuditTab = lazyPart(() => import('./audit-tab.tsx'))
