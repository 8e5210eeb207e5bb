import { lazy } from 'react'

export const ApiKeysTab = lazy(() => import('./api-keys-tab.tsx'))
