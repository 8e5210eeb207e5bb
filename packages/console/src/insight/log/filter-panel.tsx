import { messageStates } from '@sdd/contract/messages/messages.ts'
import { logs as words } from './text.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'
import type { LogSearch } from './search.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { PeriodFilter } from '#console/ui/period-filter.tsx'
import { StateChecks } from '#console/ui/state-checks.tsx'
import { useDraft } from '#console/ui/use-draft.ts'

const REST_MS = 300

/** The codes that are offered always; those of a network, such as `38`, only if a message in the list has them. */
const CODES = [
  'no_network',
  'absent_subscriber',
  'invalid_destination',
  'no_credit',
  'sim_barred',
  'no_sim',
  'modem_error',
  'timeout',
  'no_report',
  'unknown_outcome',
  'partly_sent',
  'expired',
  'opted_out',
  'no_consent',
  'device_unlinked',
]

/** The filters of the log. */
export default function FilterPanel({
  id,
  search,
  seen,
  onChange,
}: {
  id: string
  search: LogSearch
  seen: readonly string[]
  onChange: (next: Partial<LogSearch>) => void
}) {
  const { state, error, errors, period, from, to } = search
  const [device, setDevice] = useDraft(
    search.device_uid ?? '',
    (value) => onChange({ device_uid: value.trim() || undefined }),
    REST_MS,
  )
  const codes = new Set([...CODES, ...seen, ...(error === undefined ? [] : [error])])
  return (
    <div
      id={id}
      className="panel flex flex-wrap items-end gap-x-5 gap-y-3 px-3.5 py-3 max-md:grid max-md:max-h-[45dvh] max-md:auto-rows-max max-md:grid-cols-[repeat(auto-fit,minmax(200px,1fr))] max-md:overflow-y-auto"
    >
      <StateChecks
        legend={words.state}
        states={messageStates}
        labels={words.states}
        marks={messageStateMarks}
        chosen={state}
        onChange={(next) => onChange({ state: next })}
      />
      <PeriodFilter period={period} from={from} to={to} onChange={onChange} />
      <Field label={words.device} className="text-sm">
        {(ids) => (
          <TextInput
            {...ids}
            value={device}
            maxLength={200}
            spellCheck={false}
            onChange={(event) => setDevice(event.target.value)}
          />
        )}
      </Field>
      <Field label={words.cause} className="text-sm">
        {(ids) => (
          <Select
            {...ids}
            value={error ?? ''}
            onChange={(event) => onChange({ error: event.target.value || undefined })}
          >
            <option value="">{words.anyCause}</option>
            {[...codes].map((code) => (
              <option key={code} value={code}>
                {outcomes.cause(code)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <label className="flex h-[34px] items-center gap-2 text-sm font-semibold max-md:h-11">
        <input
          type="checkbox"
          className="size-[18px]"
          checked={errors === 'true'}
          onChange={(event) => onChange({ errors: event.target.checked ? 'true' : undefined })}
        />
        {words.onlyErrors}
      </label>
    </div>
  )
}
