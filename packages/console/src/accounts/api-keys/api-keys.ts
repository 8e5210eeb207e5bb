import { lazy } from 'react'

/** The tab of Settings, loaded when it is first shown. */
export const ApiKeysTab = lazy(() => import('./api-keys-tab.tsx'))
