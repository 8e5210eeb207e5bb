import type { ReactNode } from 'react'
import { accountFaults, type Proof } from './account.ts'
import { useForm } from '#console/core/form.ts'
import { account as words } from './text.ts'
import { Field, TextInput } from '#console/ui/field.tsx'
import { FormButtons } from '#console/ui/form-parts.tsx'
import { Form } from '#console/ui/form.tsx'

/** Asks for the password, and with `code` also for a second-factor code, before it calls `run`. */
export function ProofForm({
  code = false,
  action,
  failed,
  run,
  onCancel,
  children,
}: {
  code?: boolean
  /** Label of the submit button. */
  action: string
  /** The message if the server gives no reason. */
  failed: string
  run: (proof: Proof) => Promise<void>
  /** Absent if the user cannot leave this step. */
  onCancel?: () => void
  /** Explains what will happen. */
  children: ReactNode
}) {
  const form = useForm({ save: run, failed: (fault) => accountFaults(fault, failed) })

  function submit(given: Partial<Proof>): void {
    const proof = { password: '', code: '', ...given }
    const refused = form.refuses({
      password: proof.password === '' ? words.required : undefined,
      code: code && proof.code.trim() === '' ? words.required : undefined,
    })
    if (!refused) form.send(proof)
  }

  return (
    <Form form={form} intro={children} onSubmit={submit}>
      <Field label={words.password} error={form.fields.password}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            name="password"
            type="password"
            autoComplete="current-password"
            required
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person was just asked for it
            autoFocus
          />
        )}
      </Field>
      {code && <CodeField label={words.code} hint={words.codeHint} error={form.fields.code} />}
      <FormButtons form={form} action={action} onCancel={onCancel} />
    </Form>
  )
}

/**
 * The input for a code, marked so that browsers and phones recognise it. `focused`: it has the focus from the start,
 * with its surroundings scrolled into view.
 */
export function CodeField({
  label,
  hint,
  error,
  focused = false,
}: {
  label: string
  hint?: string
  error?: string | true
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
