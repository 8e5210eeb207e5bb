import { lazy } from 'react'

/** The tab of Settings, loaded when it is first shown. */
export const QuotasTab = lazy(() => import('./quotas-tab.tsx'))
