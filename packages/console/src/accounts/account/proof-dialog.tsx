import { CallFault } from '@sdd/contract/core/client.ts'
import { proveSession } from '@sdd/contract/accounts/auth.ts'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { refusedBy, secondFactorQuery, type Refused } from './account.ts'
import { call } from '#console/core/api.ts'
import { answerProof } from '#console/core/proof.ts'
import { text } from '#console/core/text.ts'
import { proof as words } from './proof-text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'

type Way = 'password' | 'code'

/** Asks for the password, or for a code of a user with a second factor, before a call that gives somebody access. */
export default function ProofDialog() {
  const { data: factor, isPending } = useQuery(secondFactorQuery)
  const [chosen, setChosen] = useState<Way>()
  const way = chosen ?? (factor?.enabled ? 'code' : 'password')
  return (
    <Modal title={words.title} onClose={() => answerProof(false)}>
      {isPending ? (
        <div className="h-44" aria-busy="true" />
      ) : (
        <ProofForm key={way} way={way} other={factor?.enabled === true} onOther={setChosen} />
      )}
    </Modal>
  )
}

function ProofForm({ way, other, onOther }: { way: Way; other: boolean; onOther: (way: Way) => void }) {
  const form = useRef<HTMLFormElement>(null)
  const [refused, setRefused] = useState<Refused>({ fields: {} })
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (busy) return
    const { [way]: given = '' } = Object.fromEntries(new FormData(event.currentTarget)) as {
      [way in Way]?: string
    }
    if (given.trim() === '') return refuse({ fields: { [way]: words.required } })
    setBusy(true)
    try {
      await call(proveSession, { body: { [way]: given } })
      answerProof(true)
    } catch (fault) {
      // Without a session there is nothing to prove any more.
      if (fault instanceof CallFault && fault.status === 401) return answerProof(false)
      setBusy(false)
      refuse(refusedBy(fault, words.failed))
    }
  }

  function refuse(why: Refused): void {
    setRefused(why)
    focusInvalid(form)
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
      <p className="text-muted">{words.why}</p>
      {refused.said && <Notice tone="bad">{refused.said}</Notice>}
      <Field
        label={words[way]}
        hint={way === 'code' ? words.codeHint : undefined}
        error={refused.fields[way]}
      >
        {(ids) => (
          <TextInput
            {...ids}
            {...inputs[way]}
            tall
            name={way}
            required
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- what the person has just been asked for
            autoFocus
          />
        )}
      </Field>
      {other && (
        <button
          type="button"
          disabled={busy}
          onClick={() => onOther(way === 'code' ? 'password' : 'code')}
          className="-mt-2 flex min-h-7 w-fit items-center font-semibold text-link max-md:min-h-11"
        >
          {way === 'code' ? words.usePassword : words.useCode}
        </button>
      )}
      <div className="flex justify-end gap-2 pt-1">
        <Button size="lg" disabled={busy} onClick={() => answerProof(false)}>
          {text.cancel}
        </Button>
        <Button type="submit" tone="primary" size="lg" disabled={busy} aria-busy={busy}>
          {words.confirm}
        </Button>
      </div>
    </form>
  )
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
