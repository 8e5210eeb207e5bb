import { Check } from './checks.tsx'
import {
  classField,
  hourClasses,
  type ClassDraft,
  type HourClass,
  type SendingHoursDraft,
} from './hours-draft.ts'
import { sendingHours as words } from './hours-text.ts'
import { HoursFields } from '#console/accounts/hours/hours.tsx'
import type { Faults } from '#console/core/form.ts'

type Common = { faults: Faults['fields']; writes: boolean }

/** When messages may be handed over, for each class. */
export function SendingHoursFields({
  draft,
  onChange,
  ...common
}: Common & { draft: SendingHoursDraft; onChange: (next: SendingHoursDraft) => void }) {
  return hourClasses.map((of) => (
    <ClassHours
      key={of}
      of={of}
      hours={draft[of]}
      {...common}
      onChange={(next) => onChange({ ...draft, [of]: { ...draft[of], ...next } })}
    />
  ))
}

type ClassProps = Common & { of: HourClass; hours: ClassDraft; onChange: (next: Partial<ClassDraft>) => void }

function ClassHours(props: ClassProps) {
  const { of, hours, faults, writes, onChange } = props
  const whole = faults.sending_hours
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 border-t border-line pt-4">
      <legend className="sr-only">{words.classes[of]}</legend>
      <div>
        <p aria-hidden="true" className="font-semibold">
          {words.classes[of]}
        </p>
        <p className="text-sm text-muted">{words.hints[of]}</p>
      </div>
      {of === 'transactional' && (
        <Check
          label={words.limited}
          on={hours.on}
          disabled={!writes}
          hint={undefined}
          onChange={(on) => onChange({ on })}
        />
      )}
      {hours.on && <HoursFields {...props} of={classField(of)} ofRecipient />}
      {of === 'marketing' && typeof whole === 'string' && (
        <p className="text-sm font-medium text-bad">{whole}</p>
      )}
    </fieldset>
  )
}
