import { useRef, useState, type FormEvent, type ReactNode } from 'react'
import { refusedBy, type Proof, type Refused } from './account.ts'
import { text } from '#console/core/text.ts'
import { account as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'

/** Asks for the password, and with `code` for a code of the second factor, before something is done. */
export function ProofForm({
  code = false,
  action,
  failed,
  run,
  onCancel,
  children,
}: {
  code?: boolean
  /** What its button says. */
  action: string
  /** What to say where the server does not say why. */
  failed: string
  run: (proof: Proof) => Promise<void>
  /** Absent if the person cannot leave this step. */
  onCancel?: () => void
  /** What will happen. */
  children: ReactNode
}) {
  const form = useRef<HTMLFormElement>(null)
  const [refused, setRefused] = useState<Refused>({ fields: {} })
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (busy) return
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Partial<Proof>
    const proof = { password: '', code: '', ...given }
    const missing = {
      ...(proof.password === '' && { password: words.required }),
      ...(code && proof.code.trim() === '' && { code: words.required }),
    }
    if (Object.keys(missing).length > 0) return refuse({ fields: missing })
    setBusy(true)
    try {
      await run(proof)
    } catch (fault) {
      refuse(refusedBy(fault, failed))
      setBusy(false)
    }
  }

  function refuse(why: Refused): void {
    setRefused(why)
    focusInvalid(form)
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
      {children}
      {refused.said && <Notice tone="bad">{refused.said}</Notice>}
      <Field label={words.password} error={refused.fields.password}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            name="password"
            type="password"
            autoComplete="current-password"
            required
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- what the person has just been asked for
            autoFocus
          />
        )}
      </Field>
      {code && <CodeField label={words.code} hint={words.codeHint} error={refused.fields.code} />}
      <div className="flex justify-end gap-2 pt-1">
        {onCancel && (
          <Button size="lg" onClick={onCancel} disabled={busy}>
            {text.cancel}
          </Button>
        )}
        <Button type="submit" tone="primary" size="lg" disabled={busy} aria-busy={busy}>
          {action}
        </Button>
      </div>
    </form>
  )
}

/** Where a code is typed: browsers and phones know it for one. `focused`: from the start, with what is above it in sight. */
export function CodeField({
  label,
  hint,
  error,
  focused = false,
}: {
  label: string
  hint?: string
  error?: string
  focused?: boolean
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <TextInput
          {...ids}
          ref={focused ? focusInPlace : undefined}
          tall
          className="font-mono"
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={64}
          required
        />
      )}
    </Field>
  )
}

function focusInPlace(input: HTMLInputElement | null): void {
  input?.focus({ preventScroll: true })
}
