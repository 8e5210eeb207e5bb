import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startLogoutRetries } from '#console/accounts/auth/logout-state.ts'
import { whenDuty } from '#console/core/duty.ts'
import { loadLanguagesFrom } from '#console/core/language.ts'
import { followLanguage, followOtherTabs } from '#console/core/language-choice.ts'
import { whenExpired, whenUserChangesElsewhere } from '#console/core/session.ts'
import { openRouter } from './routes.tsx'
import { focusHeading } from '#console/ui/focus-heading.ts'
import '#console/ui/styles.css'

loadLanguagesFrom((language) =>
  (language === 'es' ? import('./wordings.es.ts') : import('./wordings.en.ts')).then(
    ({ wordings }) => wordings,
  ),
)

const router = openRouter()

whenExpired(() => {
  void followLanguage()
  void router.navigate({ to: '/login', state: { expired: true } })
})
// The server refuses all other calls until the duty is done.
whenDuty(() => void router.navigate({ to: '/setup', replace: true }))
// The rows and the live connection belong to the first user.
whenUserChangesElsewhere(
  () => void router.navigate({ to: '/login' }),
  () => location.reload(),
)
startLogoutRetries(() => import('#console/accounts/auth/sign-out.ts'))
if (import.meta.env.PROD) addEventListener('load', registerLater)
router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
  if (fromLocation && pathChanged) focusHeading()
})
followOtherTabs()

/** It is not needed to show the first screen, and a browser may refuse it. */
function registerLater(): void {
  void import('./installing.ts')
    .then(({ registerServiceWorker }) => registerServiceWorker((url) => router.history.push(url)))
    .catch((fault: unknown) => console.error(String(fault)))
}

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

const reactRoot = createRoot(root)
void followLanguage().then(() =>
  reactRoot.render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  ),
)
