import { messageStates } from '@sdd/contract/messages/messages.ts'
import { X } from 'lucide-react'
import { text } from '#console/core/text.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { logs as words } from './text.ts'
import type { LogFilterName, LogSearch } from './search.ts'
import { statesIn } from '#console/ui/states-in.ts'
import { dayTime } from '#console/ui/time.ts'

/** The active filters, each with a button that removes it. */
export default function FilterChips({
  names,
  search,
  onChange,
}: {
  names: readonly LogFilterName[]
  search: LogSearch
  onChange: (next: Partial<LogSearch>) => void
}) {
  return names.map((name) => (
    <FilterChip key={name} name={name} search={search} onRemove={() => onChange({ [name]: undefined })} />
  ))
}

function FilterChip({
  name,
  search,
  onRemove,
}: {
  name: LogFilterName
  search: LogSearch
  onRemove: () => void
}) {
  const [label, value] = filterText(name, search)
  return (
    <span className="inline-flex h-[34px] items-center gap-1.5 rounded-sm border border-line bg-panel pl-2.5 text-sm max-md:h-11">
      <span>
        {label}
        {value && (
          <>
            : <b className="font-semibold">{value}</b>
          </>
        )}
      </span>
      <button
        type="button"
        aria-label={words.remove(label)}
        onClick={onRemove}
        className="grid h-full w-7 place-items-center text-muted hover:text-ink max-md:w-11"
      >
        <X className="size-3.5" aria-hidden="true" />
      </button>
    </span>
  )
}

function filterText(name: LogFilterName, search: LogSearch): [label: string, value: string | undefined] {
  switch (name) {
    case 'state':
      return [
        words.state,
        statesIn(search.state, messageStates)
          .map((state) => words.states[state])
          .join(', '),
      ]
    case 'error':
      return [words.cause, outcomes.cause(search.error ?? '')]
    case 'device_uid':
      return [words.device, search.device_uid]
    case 'period':
      return [text.period, search.period && text.periods[search.period]]
    case 'errors':
      return [words.onlyErrors, undefined]
    case 'from':
    case 'to':
      return [text[name], dayTime(search[name] ?? '')]
  }
}
