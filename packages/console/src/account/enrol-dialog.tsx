import type { Enrolment } from '@sdd/contract/second-factor.ts'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState, type FormEvent } from 'react'
import {
  confirmEnrolment,
  enrol,
  refusedBy,
  secondFactorQuery,
  type Refused,
} from '#console/account/account.ts'
import { CodeField, ProofForm } from '#console/account/proof-form.tsx'
import { RecoveryCodes } from '#console/account/recovery-codes.tsx'
import { text } from '#console/core/text.ts'
import { account as words } from '#console/core/text/account.ts'
import { Button } from '#console/ui/button.tsx'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'

const QrCode = lazy(() => import('#console/ui/qr-code.tsx'))

/** Turns the second factor on: the password, then the secret for the app and its first code, then the recovery codes. */
export default function EnrolDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const [enrolment, setEnrolment] = useState<Enrolment>()
  const [codes, setCodes] = useState<string[]>()
  if (codes) return <RecoveryCodes codes={codes} onClose={onClose} />
  return (
    <Modal title={words.enrolTitle} onClose={onClose}>
      {enrolment ? (
        <FirstCode
          enrolment={enrolment}
          onCancel={onClose}
          onDone={(made) => {
            void queryClient.invalidateQueries(secondFactorQuery)
            toast({ text: words.enrolled })
            setCodes(made)
          }}
        />
      ) : (
        <ProofForm
          action={words.next}
          failed={words.enrolFailed}
          run={async ({ password }) => setEnrolment(await enrol(password))}
          onCancel={onClose}
        >
          <p className="text-muted">{words.enrolIntro}</p>
        </ProofForm>
      )}
    </Modal>
  )
}

function FirstCode({
  enrolment: { secret, uri },
  onCancel,
  onDone,
}: {
  enrolment: Enrolment
  onCancel: () => void
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
      <CodeField label={words.firstCode} error={refused.fields.code} />
      <div className="flex justify-end gap-2 pt-1">
        <Button size="lg" onClick={onCancel} disabled={busy}>
          {text.cancel}
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
