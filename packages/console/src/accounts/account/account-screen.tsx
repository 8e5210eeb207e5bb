import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { SecondFactorPanel } from './factor.tsx'
import { LanguagePanel } from './language.tsx'
import { PasswordForm } from './password-form.tsx'
import type { AccountSearch } from './search.ts'
import { Sessions } from './sessions.tsx'
import { account as words } from './text.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { Page } from '#console/ui/page.tsx'

const EnrolDialog = lazyPart(() => import('./enrol-dialog.tsx'))
const RenewDialog = lazyPart(() => import('./renew-dialog.tsx'))
const OffDialog = lazyPart(() => import('./off-dialog.tsx'))

const route = getRouteApi('/shell/account')

/** The signed-in user's own account: password, second factor and sessions. */
export function AccountScreen() {
  const { open } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (next: AccountSearch['open']) =>
    void navigate({ search: { open: next }, replace: next === undefined })
  const close = () => show(undefined)
  return (
    <Page title={words.title}>
      <div className="relative min-h-0 flex-1 overflow-y-auto px-6 pt-1 pb-6 max-md:px-3 max-md:pt-3">
        <div className="flex max-w-[680px] flex-col gap-4">
          <SecondFactorPanel onOpen={show} />
          <Sessions asksOthers={open === 'others'} onOpen={show} />
          <PasswordForm />
          <LanguagePanel />
        </div>
      </div>
      <Suspense>
        {open === 'enrol' && <EnrolDialog onClose={close} />}
        {open === 'renew' && <RenewDialog onClose={close} />}
        {open === 'off' && <OffDialog onClose={close} />}
      </Suspense>
    </Page>
  )
}
