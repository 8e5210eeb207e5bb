import { useRef, useState, type ComponentType, type FormEvent } from 'react'
import { users as words } from './text.ts'
import { useRole } from '#console/core/use-role.ts'
import { changeOf, draftOf, faultsOf, losesAccess, refusalOf, type Draft, type Faults } from './draft.ts'
import { MoreFields } from './more-fields.tsx'
import { mayGiveRole, rolesToGive, saveUserChange, type User } from './users.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'

/** Says what a user made that still works. */
export type MadeByUser = ComponentType<{ user: User }>

type Props = {
  /** Undefined: a new user. */
  user: User | undefined
  MadeByUser: MadeByUser
  onCancel: () => void
  onBusy: (busy: boolean) => void
  onRemoveFactor: (() => void) | undefined
  onSaved: (status: string | undefined) => void
}

export function UserForm({ user, MadeByUser, onCancel, onBusy, onRemoveFactor, onSaved }: Props) {
  const role = useRole()
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState(() => draftOf(user))
  const [faults, setFaults] = useState<Faults>({ fields: {} })
  const [busy, setBusy] = useState(false)
  const givesRole = mayGiveRole(role, user)
  const offered = givesRole ? rolesToGive(role) : [draft.role]
  const edit = (next: Partial<Draft>) => setDraft((now) => ({ ...now, ...next }))

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (busy) return
    const found = faultsOf(draft, user)
    if (found) return show(found)
    setFaults({ fields: {} })
    pass(true)
    try {
      const status = await saveUserChange(changeOf(draft, user))
      pass(false)
      onSaved(status)
    } catch (fault) {
      pass(false)
      show(refusalOf(fault))
    }
  }

  function pass(now: boolean): void {
    setBusy(now)
    onBusy(now)
  }

  function show(found: Faults): void {
    setFaults(found)
    focusInvalid(form)
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
      {(faults.headline || faults.said) && (
        <Notice tone="bad">
          {faults.headline && <b className="block font-semibold">{faults.headline}</b>}
          {faults.said && <span className="block break-words">{faults.said}</span>}
        </Notice>
      )}
      <Field label={words.name} error={faults.fields.name}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            required
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            value={draft.name}
            onChange={(event) => edit({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label={words.emailLabel} error={faults.fields.email}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            required
            type="email"
            autoComplete="off"
            maxLength={254}
            value={draft.email}
            onChange={(event) => edit({ email: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={words.role}
        hint={givesRole ? undefined : words.onlySuperadmin}
        error={faults.fields.role}
      >
        {(ids) => (
          <Select
            {...ids}
            tall
            required
            disabled={!givesRole}
            value={draft.role}
            onChange={(event) => edit({ role: event.target.value as Draft['role'] })}
          >
            {offered.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {user === undefined && <Passwords draft={draft} fields={faults.fields} onEdit={edit} />}
      <MoreFields
        user={user}
        draft={draft}
        fields={faults.fields}
        onEdit={edit}
        onRemoveFactor={onRemoveFactor}
      />
      {user && losesAccess(draft, user) && <MadeByUser user={user} />}
      <div className="flex justify-end gap-2 pt-1">
        <Button size="lg" onClick={onCancel} disabled={busy}>
          {words.cancel}
        </Button>
        <Button type="submit" tone="primary" size="lg" disabled={busy} aria-busy={busy} className="min-w-24">
          {words.save}
        </Button>
      </div>
    </form>
  )
}

function Passwords({
  draft,
  fields,
  onEdit,
}: {
  draft: Draft
  fields: Faults['fields']
  onEdit: (next: Partial<Draft>) => void
}) {
  return (
    <>
      <Field label={words.password} hint={words.passwordRule} error={fields.password}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            required
            type="password"
            autoComplete="new-password"
            value={draft.password}
            onChange={(event) => onEdit({ password: event.target.value })}
          />
        )}
      </Field>
      <Field label={words.repeat} error={fields.repeat}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            required
            type="password"
            autoComplete="new-password"
            value={draft.repeat}
            onChange={(event) => onEdit({ repeat: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}
