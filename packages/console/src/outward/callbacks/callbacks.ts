import { lazy } from 'react'

/** The tab of Settings, loaded when it is first shown. */
export const CallbacksTab = lazy(() => import('./callbacks-tab.tsx'))
