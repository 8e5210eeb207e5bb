import { lazy } from 'react'

/** A tab of Settings, loaded when first shown. */
export const ApiKeysTab = lazy(() => import('./api-keys-tab.tsx'))
