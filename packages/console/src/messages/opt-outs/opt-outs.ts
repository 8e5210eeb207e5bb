import { lazy } from 'react'

export const OptOutsTab = lazy(() => import('./opt-outs-tab.tsx'))
