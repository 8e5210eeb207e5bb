import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { LiveProvider } from '#console/core/live/live-context.ts'
import { openLive } from '#console/core/live/live.ts'
import { openQueryClient } from '#console/core/query.ts'
import { whenExpired } from '#console/core/session.ts'
import { openRouter } from '#console/routes.tsx'
import '#console/ui/styles.css'

const queryClient = openQueryClient()
const router = openRouter()
const live = openLive()

whenExpired(() => {
  queryClient.clear()
  void router.navigate({ to: '/login', state: { expired: true } })
})

// Another tab signed out: this one has no session either.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key !== 'token' || newValue !== null) return
  queryClient.clear()
  void router.navigate({ to: '/login' })
})

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LiveProvider value={live}>
        <RouterProvider router={router} />
      </LiveProvider>
    </QueryClientProvider>
  </StrictMode>,
)
