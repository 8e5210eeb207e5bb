import { lazy } from 'react'

/** A tab of Settings, loaded when first shown. */
export const DestinationsTab = lazy(() => import('./destinations-tab.tsx'))
