import { lazy } from 'react'

/** The tab of Settings, loaded when it is first shown. */
export const DestinationsTab = lazy(() => import('./destinations-tab.tsx'))
