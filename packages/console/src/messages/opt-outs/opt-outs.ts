import { lazy } from 'react'

/** The tab of Settings, loaded when it is first shown. */
export const OptOutsTab = lazy(() => import('./opt-outs-tab.tsx'))
