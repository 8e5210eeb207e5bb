import { alertDialogs as words } from './dialog-text.ts'
import { DUTY, dutyHours, type DutyDraft } from './duty-hours.ts'
import { alertRules } from './text.ts'
import { HoursFields } from '#console/accounts/hours/hours.tsx'
import type { Faults } from '#console/core/form.ts'
import { Field, Select } from '#console/ui/field.tsx'

/** When the channels of a rule are told: hours that the console offers, or the user's own. */
export function DutyFields({
  duty: { chosen, own },
  faults,
  onChange,
}: {
  duty: DutyDraft
  faults: Faults['fields']
  onChange: (next: DutyDraft) => void
}) {
  return (
    <>
      <Field label={words.hours} hint={chosen === 'own' ? words.hoursHint : undefined} error={faults[DUTY]}>
        {(ids) => (
          <Select
            {...ids}
            tall
            value={chosen}
            onChange={({ target }) =>
              onChange({ chosen: dutyHours.find((one) => one === target.value) ?? 'own', own })
            }
          >
            {dutyHours.map((one) => (
              <option key={one} value={one}>
                {alertRules[one]}
              </option>
            ))}
            <option value="own">{alertRules.otherHours}</option>
          </Select>
        )}
      </Field>
      {chosen === 'own' && (
        <HoursFields
          of={DUTY}
          hours={own}
          faults={faults}
          writes
          ofRecipient={false}
          onChange={(next) => onChange({ chosen, own: { ...own, ...next } })}
        />
      )}
    </>
  )
}
