import { lazy } from 'react'

/** A tab of Settings, loaded when first shown. */
export const OptOutsTab = lazy(() => import('./opt-outs-tab.tsx'))
