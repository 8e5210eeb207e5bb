import { weekDays } from '@sdd/contract/accounts/sending-hours.ts'
import { Plus, X } from 'lucide-react'
import { hoursField, MOST_WINDOWS, ownZone, type HoursDraft, type WindowDraft } from './hours.ts'
import { hours as words } from './text.ts'
import type { Faults } from '#console/core/form.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'

type Props = {
  /** The name of these hours in the form. */
  of: string
  hours: HoursDraft
  faults: Faults['fields']
  writes: boolean
  /** Whether they may count by the clock of each recipient. */
  ofRecipient: boolean
  onChange: (next: Partial<HoursDraft>) => void
}

/** The windows of a week, the clock by which they count, and the days on which none begins. */
export function HoursFields(props: Props) {
  return (
    <>
      <Windows {...props} />
      <Clock {...props} />
    </>
  )
}

function Windows({ of, hours: { windows }, faults, writes, onChange }: Props) {
  const change = (n: number, next: Partial<WindowDraft>) =>
    onChange({ windows: windows.map((one, at) => (at === n ? { ...one, ...next } : one)) })
  return (
    <>
      {windows.map((window, n) => {
        const name = (part: string) => hoursField(of, part, n)
        return (
          <fieldset
            key={n}
            aria-label={words.window(n + 1)}
            className="flex flex-wrap items-start gap-x-3 gap-y-2"
          >
            <Days
              window={window}
              fault={faults[name('days')]}
              writes={writes}
              onChange={(days) => change(n, { days })}
            />
            {(['from', 'to'] as const).map((part) => (
              <Field key={part} label={words[part]} error={faults[name(part)]} className="w-24">
                {(ids) => (
                  <TextInput
                    {...ids}
                    autoComplete="off"
                    maxLength={5}
                    readOnly={!writes}
                    value={window[part]}
                    onChange={({ target }) => change(n, { [part]: target.value })}
                  />
                )}
              </Field>
            ))}
            {writes && windows.length > 1 && (
              <Button
                tone="ghost"
                square
                aria-label={words.remove(n + 1)}
                title={words.remove(n + 1)}
                className="mt-6"
                onClick={() => onChange({ windows: windows.filter((_, at) => at !== n) })}
              >
                <X className="size-4" aria-hidden="true" />
              </Button>
            )}
          </fieldset>
        )
      })}
      {writes && windows.length < MOST_WINDOWS && (
        <Button
          size="sm"
          className="self-start"
          onClick={() => onChange({ windows: [...windows, { days: ['sat'], from: '10:00', to: '14:00' }] })}
        >
          <Plus className="size-4" aria-hidden="true" />
          {words.add}
        </Button>
      )}
    </>
  )
}

/** The days on which a window begins. */
function Days({
  window: { days },
  fault,
  writes,
  onChange,
}: {
  window: WindowDraft
  fault: string | true | undefined
  writes: boolean
  onChange: (days: WindowDraft['days']) => void
}) {
  return (
    <div className="flex flex-col gap-1.5">
      <span aria-hidden="true" className="font-semibold">
        {words.days}
      </span>
      <span className="flex gap-0.5">
        {weekDays.map((day) => (
          <label
            key={day}
            title={words.dayNames[day]}
            className="relative grid h-[34px] min-w-8 place-items-center rounded-sm border border-line text-sm font-semibold has-checked:border-ink has-checked:bg-ink has-checked:text-panel has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-offset-1 has-[:focus-visible]:outline-focus max-md:h-11 max-md:min-w-11"
          >
            <input
              type="checkbox"
              className="absolute inset-0 opacity-0"
              aria-label={words.dayNames[day]}
              aria-invalid={fault ? true : undefined}
              checked={days.includes(day)}
              disabled={!writes}
              onChange={({ target }) =>
                onChange(weekDays.filter((one) => (one === day ? target.checked : days.includes(one))))
              }
            />
            <span aria-hidden="true">{words.dayLetters[day]}</span>
          </label>
        ))}
      </span>
      {typeof fault === 'string' && <p className="text-sm font-medium text-bad">{fault}</p>}
    </div>
  )
}

/** The clock by which the hours count, and the days on which no window begins. */
function Clock({ of, hours: { zone, holidays }, faults, writes, ofRecipient, onChange }: Props) {
  const fixed = !ofRecipient || zone !== 'recipient'
  return (
    <>
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        {ofRecipient && (
          <Field label={words.clock} className="flex-1 basis-56">
            {(ids) => (
              <Select
                {...ids}
                disabled={!writes}
                value={fixed ? 'zone' : 'recipient'}
                onChange={({ target }) =>
                  onChange({ zone: target.value === 'recipient' ? 'recipient' : ownZone() })
                }
              >
                <option value="recipient">{words.recipient}</option>
                <option value="zone">{words.fixed}</option>
              </Select>
            )}
          </Field>
        )}
        {fixed && (
          <Field label={words.zone} error={faults[hoursField(of, 'zone')]} className="flex-1 basis-44">
            {(ids) => (
              <TextInput
                {...ids}
                autoComplete="off"
                spellCheck={false}
                readOnly={!writes}
                value={zone}
                onChange={({ target }) => onChange({ zone: target.value })}
              />
            )}
          </Field>
        )}
      </div>
      <Field label={words.holidays} hint={words.holidaysHint} error={faults[hoursField(of, 'holidays')]}>
        {(ids) => (
          <TextInput
            {...ids}
            autoComplete="off"
            spellCheck={false}
            readOnly={!writes}
            value={holidays}
            onChange={({ target }) => onChange({ holidays: target.value })}
          />
        )}
      </Field>
    </>
  )
}
