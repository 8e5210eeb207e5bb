import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startLogoutRetries } from '#console/accounts/auth/logout-state.ts'
import { whenDuty } from '#console/core/duty.ts'
import { whenExpired, whenSignedOutElsewhere } from '#console/core/session.ts'
import { openRouter } from './routes.tsx'
import '#console/ui/styles.css'

const router = openRouter()

whenExpired(() => void router.navigate({ to: '/login', state: { expired: true } }))
// The server refuses all other calls until the duty is done.
whenDuty(() => void router.navigate({ to: '/setup', replace: true }))
whenSignedOutElsewhere(() => void router.navigate({ to: '/login' }))
startLogoutRetries()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
)
