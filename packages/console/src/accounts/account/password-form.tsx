import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState, type FormEvent, type ReactNode } from 'react'
import { changeOwnPassword, refusedBy, sessionsQuery, type Refused } from './account.ts'
import { account as words } from './text.ts'
import { duty } from './duty-text.ts'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'

const LEAST = 10
const MOST = 256

const fields = [
  { name: 'password', label: words.password, autoComplete: 'current-password', hint: undefined },
  {
    name: 'new_password',
    label: words.newPassword,
    autoComplete: 'new-password',
    hint: words.passwordRule,
  },
  { name: 'repeat', label: words.repeat, autoComplete: 'new-password', hint: undefined },
] as const

type Given = Record<(typeof fields)[number]['name'], string>

/** Changes the user's own password, among what else concerns their account. */
export function PasswordForm() {
  const queryClient = useQueryClient()
  const [changed, setChanged] = useState(false)
  return (
    <Box title={words.passwordTitle}>
      <div className="max-w-sm">
        <PasswordFields
          action={words.change}
          onBegin={() => setChanged(false)}
          onChanged={() => {
            setChanged(true)
            void queryClient.invalidateQueries(sessionsQuery)
          }}
        >
          {changed && <Notice tone="ok">{words.changed}</Notice>}
        </PasswordFields>
      </div>
    </Box>
  )
}

/** The form of it. `first`: nothing else is on the screen, and the password is one that somebody else gave. */
export function PasswordFields({
  action,
  first = false,
  onBegin,
  onChanged,
  children,
}: {
  /** What its button says. */
  action: string
  first?: boolean
  onBegin?: () => void
  onChanged: () => void
  /** What stands above the fields. */
  children?: ReactNode
}) {
  const form = useRef<HTMLFormElement>(null)
  const [refused, setRefused] = useState<Refused>({ fields: {} })
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (busy) return
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Given
    onBegin?.()
    const found = faultsOf(given)
    if (Object.keys(found).length > 0) return refuse({ fields: found })
    setRefused({ fields: {} })
    setBusy(true)
    try {
      await changeOwnPassword(given.password, given.new_password)
      form.current?.reset()
      onChanged()
    } catch (fault) {
      refuse(refusedBy(fault, words.changeFailed))
    }
    setBusy(false)
  }

  function refuse(why: Refused): void {
    setRefused(why)
    focusInvalid(form)
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
      {children}
      {refused.said && <Notice tone="bad">{refused.said}</Notice>}
      {fields.map(({ name, label, autoComplete, hint }, n) => (
        <Field
          key={name}
          label={first && name === 'password' ? duty.given : label}
          hint={first && hint ? words.firstRule : hint}
          error={refused.fields[name]}
        >
          {(ids) => (
            <TextInput
              {...ids}
              tall
              name={name}
              type="password"
              autoComplete={autoComplete}
              required
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- nothing but this form is on the screen then
              autoFocus={first && n === 0}
            />
          )}
        </Field>
      ))}
      <div className="flex">
        <Button
          type="submit"
          tone={first ? 'primary' : undefined}
          size="lg"
          className={first ? 'flex-1' : undefined}
          disabled={busy}
          aria-busy={busy}
        >
          {action}
        </Button>
      </div>
    </form>
  )
}

function faultsOf({ password, new_password, repeat }: Given): Refused['fields'] {
  const { length } = new_password
  return {
    ...(password === '' && { password: words.required }),
    ...(new_password === password && { new_password: words.sameAsOld }),
    ...((length < LEAST || length > MOST) && { new_password: words.tooShort }),
    ...(new_password !== repeat && { repeat: words.differ }),
  }
}
