import { lazy } from 'react'

/** A tab of Settings, loaded when first shown. */
export const QuotasTab = lazy(() => import('./quotas-tab.tsx'))
