import { useState, type ComponentType } from 'react'
import { text } from '#console/core/text.ts'
import { users as words } from './text.ts'
import { useForm, type Faults } from '#console/core/form.ts'
import { useRole } from '#console/core/use-role.ts'
import { changeOf, draftOf, faultsOf, losesAccess, userSaveFaults, type Draft } from './draft.ts'
import { MoreFields } from './more-fields.tsx'
import { mayGiveRole, rolesToGive, saveUserChange, type User } from './users.ts'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'

/** Lists a user's keys and webhooks that still work. */
export type MadeByUserComponent = ComponentType<{ user: User }>

type Props = {
  title: string
  /** As the form first showed them. Undefined for a new user. */
  user: User | undefined
  /** As a colleague may have changed them since. */
  latest: User | undefined
  /** The unsaved input of the form when it was last shown. */
  kept: Draft | undefined
  MadeByUser: MadeByUserComponent
  onClose: () => void
  onRemoveFactor: ((draft: Draft) => void) | undefined
  onSaved: (status: string | undefined) => void
}

export function UserForm({ title, user, latest, kept, MadeByUser, onClose, onRemoveFactor, onSaved }: Props) {
  const role = useRole()
  const [draft, setDraft] = useState(() => kept ?? draftOf(user))
  const form = useForm({ save: saveUserChange, failed: userSaveFaults, onSaved })
  const { fields } = form
  const givesRole = mayGiveRole(role, user)
  const offered = givesRole ? rolesToGive(role) : [draft.role]
  const edit = (next: Partial<Draft>) => setDraft((now) => ({ ...now, ...next }))

  function submit(): void {
    const found = faultsOf(draft, user)
    if (!form.refuses(found.fields, found.said)) form.send(changeOf(draft, user, latest))
  }

  return (
    <FormModal
      title={title}
      form={form}
      action={words.save}
      submitLook="min-w-24"
      cancel={words.cancel}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={words.name} error={fields.name}>
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
      <Field label={words.emailLabel} error={fields.email}>
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
      <Field label={words.role} hint={givesRole ? undefined : words.onlySuperadmin} error={fields.role}>
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
                {text.roles[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {user === undefined && <Passwords draft={draft} fields={fields} onEdit={edit} />}
      <MoreFields
        user={user}
        draft={draft}
        fields={fields}
        onEdit={edit}
        onRemoveFactor={onRemoveFactor && (() => onRemoveFactor(draft))}
      />
      {user && losesAccess(draft, user) && <MadeByUser user={user} />}
    </FormModal>
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
