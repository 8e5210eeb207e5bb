import { lazy } from 'react'

/** The tab of Settings, loaded when it is first shown. */
export const AuditTab = lazy(() => import('./audit-tab.tsx'))
