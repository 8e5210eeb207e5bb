import { lazy } from 'react'

export const DestinationsTab = lazy(() => import('./destinations-tab.tsx'))
