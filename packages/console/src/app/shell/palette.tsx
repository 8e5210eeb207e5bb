import { useState, type ComponentProps } from 'react'
import { palette as words } from './palette-text.ts'
import { useEntries, type PaletteEntry } from './palette-entries.tsx'
import { ComboboxField, useCombobox } from '#console/ui/combobox.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { kbdLook } from '#console/ui/field.tsx'

const groupRole = { role: 'group' } as const

/** The command palette: screens, actions and things, found by typing. */
export default function Palette({
  onClose,
  onSwitch,
}: {
  onClose: () => void
  /** Asks whether to stop or resume the sending. */
  onSwitch: (what: 'stop' | 'resume') => void
}) {
  const [typed, setTyped] = useState('')
  const { groups, search } = useEntries(typed, onSwitch)
  const entries = groups.flatMap((group) => group.entries)
  const { field, list, optionOf } = useCombobox({
    words,
    items: entries,
    keyOf: ({ id }) => id,
    onChoose(entry) {
      onClose()
      entry.run()
    },
    typed,
    onType: setTyped,
  })

  return (
    <Modal title={words.title} onClose={onClose} top hiddenTitle>
      <ComboboxField field={field}>
        <kbd aria-hidden="true" className={`${kbdLook} max-md:hidden`}>
          Esc
        </kbd>
      </ComboboxField>
      <div {...list} className="min-h-0 overflow-y-auto p-2">
        {groups.map(({ name, entries: members }) => (
          <div key={name} {...groupRole} aria-label={name} className="pb-1.5 last:pb-0">
            <p aria-hidden="true" className="px-2 pt-1.5 pb-1 text-xs font-semibold text-muted">
              {name}
            </p>
            {members.map((entry) => (
              <Option key={entry.id} entry={entry} {...optionOf(entry)} />
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
  entry: { icon, label, detail, mono = false },
  ...option
}: { entry: PaletteEntry } & ComponentProps<'div'>) {
  return (
    <div
      {...option}
      className="flex h-9 cursor-pointer items-center gap-2.5 rounded-sm px-2 aria-selected:bg-info-bg max-md:h-11"
    >
      {icon}
      <span className={`shrink-0 ${mono ? 'mono' : ''}`}>{label}</span>
      {detail && <span className="min-w-0 truncate text-sm text-muted">{detail}</span>}
    </div>
  )
}
