import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { changeOwnPassword, refusedBy, sessionsQuery, type Refused } from '#console/account/account.ts'
import { account as words } from '#console/core/text/account.ts'
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

/** Changes the user's own password. */
export function PasswordForm() {
  const queryClient = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const [refused, setRefused] = useState<Refused>({ fields: {} })
  const [changed, setChanged] = useState(false)
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (busy) return
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Given
    setChanged(false)
    const found = faultsOf(given)
    if (Object.keys(found).length > 0) return refuse({ fields: found })
    setRefused({ fields: {} })
    setBusy(true)
    try {
      await changeOwnPassword(given.password, given.new_password)
      form.current?.reset()
      setChanged(true)
      void queryClient.invalidateQueries(sessionsQuery)
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
    <Box title={words.passwordTitle}>
      <form ref={form} onSubmit={submit} noValidate className="flex max-w-sm flex-col gap-4">
        {refused.said && <Notice tone="bad">{refused.said}</Notice>}
        {changed && <Notice tone="ok">{words.changed}</Notice>}
        {fields.map(({ name, label, autoComplete, hint }) => (
          <Field key={name} label={label} hint={hint} error={refused.fields[name]}>
            {(ids) => (
              <TextInput {...ids} tall name={name} type="password" autoComplete={autoComplete} required />
            )}
          </Field>
        ))}
        <div className="flex">
          <Button type="submit" size="lg" disabled={busy} aria-busy={busy}>
            {words.change}
          </Button>
        </div>
      </form>
    </Box>
  )
}

function faultsOf({ password, new_password, repeat }: Given): Refused['fields'] {
  const { length } = new_password
  return {
    ...(password === '' && { password: words.required }),
    ...((length < LEAST || length > MOST) && { new_password: words.tooShort }),
    ...(new_password !== repeat && { repeat: words.differ }),
  }
}
