import type { Enrolment } from '@sdd/contract/accounts/second-factor.ts'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import { confirmEnrolment, startEnrolment, accountFaults } from './account.ts'
import { CodeField, ProofForm } from './proof-form.tsx'
import { useForm } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import { account as words } from './text.ts'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { FormButtons } from '#console/ui/form-parts.tsx'
import { Form } from '#console/ui/form.tsx'

const QrCode = lazy(() => import('#console/ui/qr-code.tsx'))

/** The steps to turn the second factor on: the password, then the secret for the app and its first code. */
export function EnrolSteps({
  onCancel,
  onDone,
  children,
}: {
  /** Absent if the user cannot leave this step. */
  onCancel?: () => void
  onDone: (codes: string[]) => void
  /** Explains why the password is needed. */
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
      run={async ({ password }) => setEnrolment(await startEnrolment(password))}
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
  const form = useForm({
    save: confirmEnrolment,
    failed: (fault) => accountFaults(fault, words.enrolFailed),
    onSaved: onDone,
  })

  function submit({ code = '' }: { code?: string }): void {
    if (!form.refuses({ code: code.trim() === '' ? words.required : undefined })) form.send(code)
  }

  const intro = (
    <>
      <p className="text-muted">{words.scan}</p>
      <div className="mx-auto size-52 overflow-hidden rounded-sm border border-line">
        <Suspense>
          <QrCode content={uri} label={words.picture} />
        </Suspense>
      </div>
      <CopyRow label={words.secret} value={inFours(secret)} copyLabel={words.copySecret} />
    </>
  )
  return (
    <Form form={form} intro={intro} onSubmit={submit}>
      <CodeField focused label={words.firstCode} error={form.fields.code} />
      <FormButtons form={form} action={words.turnOn} onCancel={back.run} cancel={back.label} />
    </Form>
  )
}

/** Groups of four are easier to type, and apps accept the blanks. */
function inFours(secret: string): string {
  return secret.replaceAll(/.{4}(?=.)/g, '$& ')
}
