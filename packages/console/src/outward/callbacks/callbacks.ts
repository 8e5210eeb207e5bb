import { lazy } from 'react'

/** A tab of Settings, loaded when first shown. */
export const CallbacksTab = lazy(() => import('./callbacks-tab.tsx'))
