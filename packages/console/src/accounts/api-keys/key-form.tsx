import { KeyPermission, type MadeApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { useRef, useState, type FormEvent } from 'react'
import { makeKey } from './calls.ts'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { fieldsOf, whyOf } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { apiKeys as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { CheckList } from '#console/ui/check-list.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { focusInvalid } from '#console/ui/focus-invalid.ts'
import { Notice } from '#console/ui/notice.tsx'
import { fieldTime } from '#console/ui/time.ts'

const DAY_MS = 86_400_000
const expiries = ['never', '30', '90', '365', 'at'] as const
type Expiry = (typeof expiries)[number]
type Faults = { said?: string; name?: string; may?: string; expires_at?: string }

/** A new key: for whom, what it may do, and until when. */
export function KeyForm({ onClose, onMade }: { onClose: () => void; onMade: (made: MadeApiKey) => void }) {
  const form = useRef<HTMLFormElement>(null)
  const [name, setName] = useState('')
  const [may, setMay] = useState<readonly KeyPermission[]>(KeyPermission.options)
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [day, setDay] = useState('')
  const [company, setCompany] = useState<number>()
  const [faults, setFaults] = useState<Faults>({})
  const [busy, setBusy] = useState(false)
  const [soonest] = useState(() => fieldTime(Date.now()))

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (busy) return
    const expires_at = endOf(expiry, day)
    const found: Faults = {
      name: name.trim() === '' ? words.nameMissing : undefined,
      may: may.length === 0 ? words.noPermission : undefined,
      expires_at: expires_at === undefined ? words.expiryMissing : undefined,
    }
    if (expires_at === undefined || found.name || found.may) return refuse(found)
    setBusy(true)
    setFaults({})
    try {
      onMade(await makeKey({ name: name.trim(), may: [...may], expires_at }, company))
    } catch (fault) {
      setBusy(false)
      refuse({ ...fieldsOf(fault), said: whyOf(fault, words.createFailed) })
    }
  }

  function refuse(found: Faults): void {
    setFaults(found)
    focusInvalid(form)
  }

  return (
    <Modal title={words.add} onClose={() => !busy && onClose()}>
      <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        {faults.said && <Notice tone="bad">{faults.said}</Notice>}
        <Field label={words.name} hint={words.nameHint} error={faults.name}>
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
          fault={faults.may}
          onChange={setMay}
        />
        <Field label={words.expiry} error={expiry === 'at' ? undefined : faults.expires_at}>
          {(ids) => (
            <Select
              {...ids}
              tall
              value={expiry}
              onChange={(event) => setExpiry(event.target.value as Expiry)}
            >
              {expiries.map((one) => (
                <option key={one} value={one}>
                  {words.expiries[one]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {expiry === 'at' && (
          <Field label={words.expiresAt} error={faults.expires_at}>
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
        <CompanyField value={company} onChange={setCompany} />
        <div className="flex justify-end gap-2 pt-1">
          <Button size="lg" onClick={onClose} disabled={busy}>
            {text.cancel}
          </Button>
          <Button type="submit" tone="primary" size="lg" disabled={busy} aria-busy={busy}>
            {words.create}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

/** When a key ends; null: never, undefined: that is not to be known. */
function endOf(expiry: Expiry, day: string): string | null | undefined {
  if (expiry === 'never') return null
  const at = expiry === 'at' ? Date.parse(day) : Date.now() + Number(expiry) * DAY_MS
  return at > Date.now() ? new Date(at).toISOString() : undefined
}
