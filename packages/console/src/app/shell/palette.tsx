import { Search } from 'lucide-react'
import { useId, useLayoutEffect, useState, type KeyboardEvent } from 'react'
import { palette as words } from './palette-text.ts'
import { useEntries, type PaletteEntry } from './palette-entries.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { kbdLook } from '#console/ui/field.tsx'

/** Roles that no HTML element has by default. */
const listRoles = {
  listbox: { role: 'listbox' },
  group: { role: 'group' },
  option: { role: 'option' },
} as const

/** The command palette: a text field that keeps the focus, above a list that it controls. */
export default function Palette({
  onClose,
  onSwitch,
}: {
  onClose: () => void
  /** Asks whether to stop or resume the sending. */
  onSwitch: (what: 'stop' | 'resume') => void
}) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<string>()
  const { groups, search } = useEntries(typed, onSwitch)
  const entries = groups.flatMap((group) => group.entries)
  const current = entries.find(({ id }) => id === chosen) ?? entries[0]
  const listId = useId()
  const optionId = (entry: PaletteEntry) => `${listId}-${entry.id.replace(/\s/g, '-')}`
  const currentId = current && optionId(current)

  useLayoutEffect(() => {
    if (currentId) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' })
  }, [currentId])

  function run(entry: PaletteEntry): void {
    onClose()
    entry.run()
  }

  function press(event: KeyboardEvent): void {
    const at = current ? entries.indexOf(current) : -1
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setChosen(entries[(at + step + entries.length) % entries.length]?.id)
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && current) run(current)
    else return
    event.preventDefault()
  }

  return (
    <Modal title={words.title} onClose={onClose} top hiddenTitle>
      <div className="flex shrink-0 items-center gap-2.5 border-b border-line px-4">
        <Search className="size-4 shrink-0 text-muted" aria-hidden="true" />
        <input
          type="text"
          role="combobox"
          aria-label={words.title}
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={currentId}
          aria-autocomplete="list"
          placeholder={words.placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setChosen(undefined)
          }}
          onKeyDown={press}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
        />
        <kbd aria-hidden="true" className={`${kbdLook} max-md:hidden`}>
          Esc
        </kbd>
      </div>
      <div
        {...listRoles.listbox}
        id={listId}
        aria-label={words.results}
        className="min-h-0 overflow-y-auto p-2"
      >
        {groups.map(({ name, entries: members }) => (
          <div key={name} {...listRoles.group} aria-label={name} className="pb-1.5 last:pb-0">
            <p aria-hidden="true" className="px-2 pt-1.5 pb-1 text-xs font-semibold text-muted">
              {name}
            </p>
            {members.map((entry) => (
              <Option
                key={entry.id}
                id={optionId(entry)}
                entry={entry}
                selected={entry === current}
                onPoint={() => setChosen(entry.id)}
                onRun={() => run(entry)}
              />
            ))}
          </div>
        ))}
      </div>
      <p className="flex shrink-0 flex-wrap gap-x-4 border-t border-line px-4 py-2 text-xs text-muted">
        <output className={search === 'failed' ? 'text-bad' : ''}>
          {searchStatus(search, entries.length)}
        </output>
        <span aria-hidden="true" className="ml-auto max-md:hidden">
          ↑ ↓ {words.move} · Enter {words.choose}
        </span>
      </p>
    </Modal>
  )
}

function searchStatus(search: 'idle' | 'busy' | 'failed', count: number): string {
  if (search === 'busy') return words.searching
  if (search === 'failed') return words.searchFailed
  return count === 0 ? words.nothing : words.count(count)
}

function Option({
  id,
  entry: { icon, label, detail, mono = false },
  selected,
  onPoint,
  onRun,
}: {
  id: string
  entry: PaletteEntry
  selected: boolean
  onPoint: () => void
  onRun: () => void
}) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the focus stays in the field, whose keys choose the option
    <div
      {...listRoles.option}
      id={id}
      aria-selected={selected}
      onPointerMove={selected ? undefined : onPoint}
      onClick={onRun}
      className="flex h-9 cursor-pointer items-center gap-2.5 rounded-sm px-2 aria-selected:bg-info-bg max-md:h-11"
    >
      {icon}
      <span className={`shrink-0 ${mono ? 'mono' : ''}`}>{label}</span>
      {detail && <span className="min-w-0 truncate text-sm text-muted">{detail}</span>}
    </div>
  )
}
