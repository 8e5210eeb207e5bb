import { readUser } from '@sdd/contract/accounts/users.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { EnrolSteps } from './enrol-steps.tsx'
import { PasswordFields } from './password-form.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { signOut } from '#console/accounts/auth/sign-out.ts'
import { callApi } from '#console/core/api.ts'
import { dutyDone, readDuty } from '#console/core/duty.ts'
import { openQueryClient } from '#console/core/query.ts'
import { readSession } from '#console/core/session.ts'
import { duty as words } from './duty-text.ts'
import { Button } from '#console/ui/button.tsx'
import { FrontPage } from '#console/ui/front-page.tsx'

/**
 * What the user must do before the console opens: change a password set by somebody else, or set up the second factor.
 */
export function DutyScreen() {
  const navigate = useNavigate()
  const [duty, setDuty] = useState(readDuty)
  const [queryClient] = useState(openQueryClient)

  async function done(): Promise<void> {
    dutyDone()
    await findDuty()
    const next = readDuty()
    if (next) setDuty(next)
    else await navigate({ to: '/devices', replace: true })
  }

  return (
    <QueryClientProvider client={queryClient}>
      <FrontPage>
        {duty === 'second_factor_setup' ? (
          <FactorStep onDone={() => void done()} />
        ) : (
          <PasswordStep onDone={() => void done()} />
        )}
        <Button
          tone="ghost"
          onClick={() => {
            signOut()
            void navigate({ to: '/login' })
          }}
        >
          {words.leave}
        </Button>
      </FrontPage>
    </QueryClientProvider>
  )
}

function PasswordStep({ onDone }: { onDone: () => void }) {
  return (
    <>
      <h2 className="text-xl leading-tight font-bold">{words.passwordTitle}</h2>
      <PasswordFields first action={words.passwordAction} onChanged={onDone}>
        <p className="text-muted">{words.passwordWhy}</p>
      </PasswordFields>
    </>
  )
}

function FactorStep({ onDone }: { onDone: () => void }) {
  const [codes, setCodes] = useState<string[]>()
  return (
    <>
      <h2 className="text-xl leading-tight font-bold">{words.factorTitle}</h2>
      <EnrolSteps onDone={setCodes}>
        <p className="text-muted">{words.factorWhy}</p>
      </EnrolSteps>
      {codes && <RecoveryCodes codes={codes} onClose={onDone} />}
    </>
  )
}

/** Any other call reveals whether another duty is left. */
async function findDuty(): Promise<void> {
  const id = String(readSession()?.userId ?? 0)
  await callApi(readUser, { params: { id } }, () => undefined).catch(() => undefined)
}
