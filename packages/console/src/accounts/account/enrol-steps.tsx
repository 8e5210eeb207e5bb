import type { Enrolment } from '@sdd/contract/accounts/second-factor.ts'
import { lazy, Suspense, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { confirmEnrolment, enrol, refusedBy, type Refused } from './account.ts'
import { CodeField, ProofForm } from './proof-form.tsx'
import { text } from '#console/core/text.ts'
import { account as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'

const QrCode = lazy(() => import('#console/ui/qr-code.tsx'))

/** What it takes to turn the second factor on: the password, then the secret for the app and its first code. */
export function EnrolSteps({
  onCancel,
  onDone,
  children,
}: {
  /** Absent if the person cannot leave this step. */
  onCancel?: () => void
  /** With the recovery codes. */
  onDone: (codes: string[]) => void
  /** Why the password is asked for. */
  children: ReactNode
}) {
  const [enrolment, setEnrolment] = useState<Enrolment>()
  if (enrolment) {
    const back = onCancel
      ? { label: text.cancel, run: onCancel }
      : { label: words.back, run: () => setEnrolment(undefined) }
    return <FirstCode enrolment={enrolment} back={back} onDone={onDone} />
  }
  return (
    <ProofForm
      action={words.next}
      failed={words.enrolFailed}
      run={async ({ password }) => setEnrolment(await enrol(password))}
      onCancel={onCancel}
    >
      {children}
    </ProofForm>
  )
}

function FirstCode({
  enrolment: { secret, uri },
  back,
  onDone,
}: {
  enrolment: Enrolment
  back: { label: string; run: () => void }
  onDone: (codes: string[]) => void
}) {
  const form = useRef<HTMLFormElement>(null)
  const [refused, setRefused] = useState<Refused>({ fields: {} })
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (busy) return
    const { code } = Object.fromEntries(new FormData(event.currentTarget)) as { code: string }
    if (code.trim() === '') return refuse({ fields: { code: words.required } })
    setBusy(true)
    try {
      onDone(await confirmEnrolment(code))
    } catch (fault) {
      setBusy(false)
      refuse(refusedBy(fault, words.enrolFailed))
    }
  }

  function refuse(why: Refused): void {
    setRefused(why)
    focusInvalid(form)
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
      <p className="text-muted">{words.scan}</p>
      <div className="mx-auto size-52 overflow-hidden rounded-sm border border-line">
        <Suspense>
          <QrCode content={uri} label={words.picture} />
        </Suspense>
      </div>
      <CopyRow label={words.secret} value={inFours(secret)} copyLabel={words.copySecret} />
      {refused.said && <Notice tone="bad">{refused.said}</Notice>}
      <CodeField focused label={words.firstCode} error={refused.fields.code} />
      <div className="flex justify-end gap-2 pt-1">
        <Button size="lg" onClick={back.run} disabled={busy}>
          {back.label}
        </Button>
        <Button type="submit" tone="primary" size="lg" disabled={busy} aria-busy={busy}>
          {words.turnOn}
        </Button>
      </div>
    </form>
  )
}

/** Apps take a secret with its blanks, and people type it more safely. */
function inFours(secret: string): string {
  return secret.replaceAll(/.{4}(?=.)/g, '$& ')
}
