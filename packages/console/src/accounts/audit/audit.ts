import { lazy } from 'react'

/** A tab of Settings, loaded when first shown. */
export const AuditTab = lazy(() => import('./audit-tab.tsx'))
