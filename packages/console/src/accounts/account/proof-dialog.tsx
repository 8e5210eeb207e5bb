import { CallFault } from '@sdd/contract/core/client.ts'
import { proveSession } from '@sdd/contract/accounts/auth.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountFaults, secondFactorQuery } from './account.ts'
import { callApi } from '#console/core/api.ts'
import { useForm } from '#console/core/form.ts'
import { answerProof } from '#console/core/proof.ts'
import { proof as words } from './proof-text.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { FormButtons } from '#console/ui/form-parts.tsx'
import { Form } from '#console/ui/form.tsx'

type Way = 'password' | 'code'

/** Asks for the password, or a code if the user has a second factor, before a call that grants access. */
export default function ProofDialog({ onClose }: { onClose: () => void }) {
  const { data: factor, isPending } = useQuery(secondFactorQuery)
  const [chosen, setChosen] = useState<Way>()
  const way = chosen ?? (factor?.enabled ? 'code' : 'password')
  return (
    <Modal title={words.title} onClose={onClose}>
      {isPending ? (
        <div className="h-44" aria-busy="true" />
      ) : (
        <ProofForm
          key={way}
          way={way}
          other={factor?.enabled === true}
          onOther={setChosen}
          onClose={onClose}
        />
      )}
    </Modal>
  )
}

function ProofForm({
  way,
  other,
  onOther,
  onClose,
}: {
  way: Way
  other: boolean
  onOther: (way: Way) => void
  onClose: () => void
}) {
  const form = useForm({
    save: (given: string) =>
      callApi(proveSession, { body: { [way]: given } }).then(() => true, withoutSession),
    failed: (fault) => accountFaults(fault, words.failed),
    onSaved: answerProof,
  })

  function submit({ [way]: given = '' }: { [way in Way]?: string }): void {
    if (!form.refuses({ [way]: given.trim() === '' ? words.required : undefined })) form.send(given)
  }

  return (
    <Form form={form} intro={<p className="text-muted">{words.why}</p>} onSubmit={submit}>
      <Field label={words[way]} hint={way === 'code' ? words.codeHint : undefined} error={form.fields[way]}>
        {(ids) => (
          <TextInput
            {...ids}
            {...inputs[way]}
            tall
            name={way}
            required
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person was just asked for it
            autoFocus
          />
        )}
      </Field>
      {other && (
        <button
          type="button"
          disabled={form.pending}
          onClick={() => onOther(way === 'code' ? 'password' : 'code')}
          className="-mt-2 flex min-h-7 w-fit items-center font-semibold text-link max-md:min-h-11"
        >
          {way === 'code' ? words.usePassword : words.useCode}
        </button>
      )}
      <FormButtons form={form} action={words.confirm} onCancel={onClose} />
    </Form>
  )
}

/** Without a session nothing is left to prove. */
function withoutSession(fault: unknown): boolean {
  if (fault instanceof CallFault && fault.status === 401) return false
  throw fault
}

const inputs = {
  password: { type: 'password', autoComplete: 'current-password' },
  code: {
    className: 'font-mono',
    autoComplete: 'one-time-code',
    autoCapitalize: 'characters',
    spellCheck: false,
    maxLength: 64,
  },
} as const
