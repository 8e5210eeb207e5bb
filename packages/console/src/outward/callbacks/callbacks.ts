import { lazy } from 'react'

export const CallbacksTab = lazy(() => import('./callbacks-tab.tsx'))
