import { messageStates, type MessageState } from '@sdd/contract/messages/messages.ts'
import { ListFilter, X } from 'lucide-react'
import { useId, useRef, useState, type ReactNode } from 'react'
import { logs as words } from './text.ts'
import { logFilters, type LogSearch } from './search.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { SearchField } from '#console/ui/search-field.tsx'
import { dayTime } from '#console/ui/time.ts'
import { useDraft } from '#console/ui/use-draft.ts'

const REST_MS = 300

type Change = (next: Partial<LogSearch>) => void

/** The search and filters, all kept in the address. `children` come at the end of their line. */
export function LogFilters({
  search,
  onChange,
  children,
}: {
  search: LogSearch
  onChange: Change
  children: ReactNode
}) {
  const input = useRef<HTMLInputElement>(null)
  const panelId = useId()
  const [shown, setShown] = useState(false)
  const [draft, setDraft] = useDraft(
    search.search ?? '',
    (value) => onChange({ search: value.trim() || undefined }),
    REST_MS,
  )
  const active = logFilters.filter((name) => search[name] !== undefined)
  useKeys({ '/': () => input.current?.focus() })

  function clear(): void {
    setDraft('')
    onChange({ search: undefined, ...Object.fromEntries(logFilters.map((name) => [name, undefined])) })
  }

  return (
    <div className="mb-2.5 flex flex-col gap-2.5 max-md:mb-2 max-md:gap-2 max-md:px-3 max-md:pt-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          ref={input}
          placeholder={words.search}
          value={draft}
          onValue={setDraft}
          className="w-[270px] max-md:w-auto max-md:min-w-36 max-md:flex-1"
        />
        <Button
          aria-expanded={shown}
          aria-controls={shown ? panelId : undefined}
          onClick={() => setShown(!shown)}
        >
          <ListFilter className="size-4" aria-hidden="true" />
          {words.filters}
        </Button>
        {!shown &&
          active.map((name) => (
            <FilterChip
              key={name}
              name={name}
              search={search}
              onRemove={() => onChange({ [name]: undefined })}
            />
          ))}
        {(active.length > 0 || search.search !== undefined) && (
          <Button tone="ghost" onClick={clear}>
            {words.clear}
          </Button>
        )}
        <span className="flex-1 max-md:hidden" />
        {children}
      </div>
      {shown && <FilterPanel id={panelId} search={search} onChange={onChange} />}
    </div>
  )
}

function FilterPanel({ id, search, onChange }: { id: string; search: LogSearch; onChange: Change }) {
  const [device, setDevice] = useDraft(
    search.device_uid ?? '',
    (value) => onChange({ device_uid: value.trim() || undefined }),
    REST_MS,
  )
  return (
    <div
      id={id}
      className="panel flex flex-wrap items-end gap-3 px-3.5 py-3 max-md:grid max-md:max-h-[45dvh] max-md:grid-cols-[repeat(auto-fit,minmax(200px,1fr))] max-md:overflow-y-auto"
    >
      <Field label={words.state} className="text-sm">
        {(ids) => (
          <Select
            {...ids}
            value={search.state ?? ''}
            onChange={(event) =>
              onChange({ state: (event.target.value || undefined) as MessageState | undefined })
            }
          >
            <option value="">{words.anyState}</option>
            {messageStates.map((state) => (
              <option key={state} value={state}>
                {words.states[state]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={words.device} className="text-sm">
        {(ids) => (
          <TextInput
            {...ids}
            value={device}
            spellCheck={false}
            onChange={(event) => setDevice(event.target.value)}
          />
        )}
      </Field>
      {(['from', 'to'] as const).map((name) => (
        <Field key={name} label={words[name]} className="text-sm">
          {(ids) => (
            <TextInput
              {...ids}
              type="datetime-local"
              value={search[name] ?? ''}
              onChange={(event) => onChange({ [name]: event.target.value || undefined })}
            />
          )}
        </Field>
      ))}
      <label className="flex h-[34px] items-center gap-2 text-sm font-semibold max-md:h-11">
        <input
          type="checkbox"
          className="size-[18px]"
          checked={search.errors === 'true'}
          onChange={(event) => onChange({ errors: event.target.checked ? 'true' : undefined })}
        />
        {words.onlyErrors}
      </label>
    </div>
  )
}

function FilterChip({
  name,
  search,
  onRemove,
}: {
  name: (typeof logFilters)[number]
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

function filterText(
  name: (typeof logFilters)[number],
  search: LogSearch,
): [label: string, value: string | undefined] {
  switch (name) {
    case 'state':
      return [words.state, search.state && words.states[search.state]]
    case 'device_uid':
      return [words.device, search.device_uid]
    case 'errors':
      return [words.onlyErrors, undefined]
    case 'from':
    case 'to':
      return [words[name], dayTime(search[name] ?? '')]
  }
}
