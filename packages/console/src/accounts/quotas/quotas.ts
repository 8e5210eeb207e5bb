import { lazy } from 'react'

export const QuotasTab = lazy(() => import('./quotas-tab.tsx'))
