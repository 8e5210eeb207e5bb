import type { Consent } from '@sdd/contract/people/contacts.ts'
import type { Faults } from '#console/core/form.ts'
import type { ContactDraft } from './contact-draft.ts'
import { contactForm as words } from './form-text.ts'
import { Field, TextInput } from '#console/ui/field.tsx'
import { dayTime } from '#console/ui/time.ts'

/** The recorded consent of a contact, which can be withdrawn, or the fields to record one. */
export function ConsentFields({
  consent,
  draft,
  faults,
  onEdit,
}: {
  consent: Consent | null
  draft: ContactDraft
  faults: Faults['fields']
  onEdit: (next: Partial<ContactDraft>) => void
}) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-semibold">{words.consent}</legend>
      {consent ? (
        <>
          <p className="wrap-anywhere">
            {words.consentGiven(dayTime(consent.given_at))}: <q>{consent.how}</q>
            {consent.by !== null && <span className="text-muted"> · {words.consentBy(consent.by)}</span>}
          </p>
          <Tick
            label={words.withdraw}
            checked={draft.withdraws}
            onChange={(withdraws) => onEdit({ withdraws })}
          />
        </>
      ) : (
        <>
          <p className="text-muted">{words.noConsent}</p>
          <Tick label={words.record} checked={draft.consents} onChange={(consents) => onEdit({ consents })} />
        </>
      )}
      {draft.consents && (
        <div className="flex gap-3 max-md:flex-col">
          <Field label={words.how} hint={words.howHint} error={faults['how']} className="flex-1">
            {(ids) => (
              <TextInput
                {...ids}
                tall
                autoComplete="off"
                value={draft.how}
                onChange={({ target }) => onEdit({ how: target.value })}
              />
            )}
          </Field>
          <Field label={words.givenAt} error={faults['given_at']}>
            {(ids) => (
              <TextInput
                {...ids}
                tall
                type="datetime-local"
                value={draft.given_at}
                onChange={({ target }) => onEdit({ given_at: target.value })}
              />
            )}
          </Field>
        </div>
      )}
    </fieldset>
  )
}

function Tick({
  label,
  checked,
  onChange,
}: {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  return (
    <label className="flex min-h-9 w-fit items-center gap-2.5 max-md:min-h-11">
      <input
        type="checkbox"
        className="size-[18px] shrink-0"
        checked={checked}
        onChange={() => onChange(!checked)}
      />
      {label}
    </label>
  )
}
