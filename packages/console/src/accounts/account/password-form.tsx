import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { changeOwnPassword, accountFaults, sessionsQuery } from './account.ts'
import { useForm, type Faults } from '#console/core/form.ts'
import { account as words } from './text.ts'
import { duty } from './duty-text.ts'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { Form } from '#console/ui/form.tsx'
import { Notice } from '#console/ui/notice.tsx'

const LEAST = 10
const MOST = 256

const fields = [
  { name: 'password', label: 'password', autoComplete: 'current-password' },
  { name: 'new_password', label: 'newPassword', autoComplete: 'new-password' },
  { name: 'repeat', label: 'repeat', autoComplete: 'new-password' },
] as const

type Given = Record<(typeof fields)[number]['name'], string>

/** Changes the user's own password, as a panel of the account screen. */
export function PasswordForm() {
  const queryClient = useQueryClient()
  return (
    <Box title={words.passwordTitle}>
      <div className="max-w-sm">
        <PasswordFields
          action={words.change}
          changed={words.changed}
          onChanged={() => void queryClient.invalidateQueries(sessionsQuery)}
        />
      </div>
    </Box>
  )
}

/**
 * The fields of the form. `first`: nothing else is on the screen, and the current password was set by somebody else.
 */
export function PasswordFields({
  action,
  first = false,
  changed,
  onChanged,
  children,
}: {
  /** Label of the submit button. */
  action: string
  first?: boolean
  changed?: string
  onChanged: () => void
  /** Shown above the fields. */
  children?: ReactNode
}) {
  const form = useForm({
    save: ({ password, new_password }: Given) => changeOwnPassword(password, new_password),
    failed: (fault) => accountFaults(fault, words.changeFailed),
    onSaved() {
      form.element.current?.reset()
      onChanged()
    },
  })

  function submit(given: Given): void {
    if (!form.refuses(faultsOf(given))) form.send(given)
  }

  const intro = (
    <>
      {children}
      {form.saved && changed && <Notice tone="ok">{changed}</Notice>}
    </>
  )
  return (
    <Form form={form} intro={intro} onSubmit={(given) => submit(given as Given)}>
      {fields.map(({ name, label, autoComplete }, n) => (
        <Field
          key={name}
          label={first && name === 'password' ? duty.given : words[label]}
          hint={name === 'new_password' ? (first ? words.firstRule : words.passwordRule) : undefined}
          error={form.fields[name]}
        >
          {(ids) => (
            <TextInput
              {...ids}
              tall
              name={name}
              type="password"
              autoComplete={autoComplete}
              required
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- nothing else is on the screen then
              autoFocus={first && n === 0}
            />
          )}
        </Field>
      ))}
      <div className="flex">
        <Button
          needsServer
          type="submit"
          tone={first ? 'primary' : undefined}
          size="lg"
          className={first ? 'flex-1' : undefined}
          disabled={form.pending}
          aria-busy={form.pending}
        >
          {action}
        </Button>
      </div>
    </Form>
  )
}

function faultsOf({ password, new_password, repeat }: Given): Faults['fields'] {
  const { length } = new_password
  return {
    ...(password === '' && { password: words.required }),
    ...(new_password === password && { new_password: words.sameAsOld }),
    ...((length < LEAST || length > MOST) && { new_password: words.tooShort }),
    ...(new_password !== repeat && { repeat: words.differ }),
  }
}
