import { KeyPermission, type CreatedApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { MessageClass } from '@sdd/contract/core/fields.ts'
import { useState } from 'react'
import { makeKey } from './calls.ts'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { useForm } from '#console/core/form.ts'
import { apiKeys as words } from './text.ts'
import { CheckList } from '#console/ui/check-list.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { fieldTime } from '#console/ui/time.ts'

const DAY_MS = 86_400_000
const expiries = ['never', '30', '90', '365', 'at'] as const
type Expiry = (typeof expiries)[number]

/** The form for a new key: its company, permissions and expiry. */
export function KeyForm({ onClose, onMade }: { onClose: () => void; onMade: (made: CreatedApiKey) => void }) {
  const [name, setName] = useState('')
  const [may, setMay] = useState<readonly KeyPermission[]>(['tasks:write', 'tasks:read'])
  const [classes, setClasses] = useState<readonly MessageClass[]>(MessageClass.options)
  const [smpp, setSmpp] = useState(false)
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [day, setDay] = useState('')
  const [company, setCompany] = useState<number>()
  const [soonest] = useState(() => fieldTime(Date.now()))
  const form = useForm({
    save: (key: Parameters<typeof makeKey>[0]) => makeKey(key, company),
    failed: words.createFailed,
    onSaved: onMade,
  })
  const { fields } = form

  function submit(): void {
    const expires_at = endOf(expiry, day)
    const refused = form.refuses({
      name: name.trim() === '' ? words.nameMissing : undefined,
      may: may.length === 0 ? words.noPermission : undefined,
      classes: classes.length === 0 ? words.noClass : undefined,
      expires_at: expires_at === undefined ? words.expiryMissing : undefined,
    })
    if (!refused && expires_at !== undefined)
      form.send({
        name: name.trim(),
        may: [...may],
        classes: [...classes],
        expires_at,
        ...(smpp && { smpp }),
      })
  }

  return (
    <FormModal title={words.add} form={form} action={words.create} onSubmit={submit} onClose={onClose}>
      <Field label={words.name} hint={words.nameHint} error={fields.name}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            required
            autoComplete="off"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <CheckList
        label={words.permissions}
        options={KeyPermission.options}
        words={words.may}
        chosen={may}
        fault={fields.may}
        onChange={setMay}
      />
      <CheckList
        label={words.classes}
        options={MessageClass.options}
        words={words.class}
        chosen={classes}
        fault={fields.classes}
        onChange={setClasses}
      />
      <Field label={words.expiry} error={expiry === 'at' ? undefined : fields.expires_at}>
        {(ids) => (
          <Select {...ids} tall value={expiry} onChange={(event) => setExpiry(event.target.value as Expiry)}>
            {expiries.map((one) => (
              <option key={one} value={one}>
                {words.expiries[one]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {expiry === 'at' && (
        <Field label={words.expiresAt} error={fields.expires_at}>
          {(ids) => (
            <TextInput
              {...ids}
              tall
              type="datetime-local"
              min={soonest}
              value={day}
              onChange={(event) => setDay(event.target.value)}
            />
          )}
        </Field>
      )}
      <label className="flex min-h-9 items-start gap-2.5 py-1 max-md:min-h-11">
        <input
          type="checkbox"
          className="mt-0.5 size-[18px] shrink-0"
          checked={smpp}
          onChange={(event) => setSmpp(event.target.checked)}
        />
        <span>
          {words.smpp}
          <span className="block text-sm text-muted">{words.smppHint}</span>
        </span>
      </label>
      <CompanyField value={company} onChange={setCompany} />
    </FormModal>
  )
}

/** When a key ends; null if never, undefined if the day is not valid. */
function endOf(expiry: Expiry, day: string): string | null | undefined {
  if (expiry === 'never') return null
  const at = expiry === 'at' ? Date.parse(day) : Date.now() + Number(expiry) * DAY_MS
  return at > Date.now() ? new Date(at).toISOString() : undefined
}
