import { useState, type ReactNode } from 'react'
import { ComboboxField, useCombobox } from '#console/ui/combobox.tsx'
import { Modal } from '#console/ui/dialog.tsx'

type Words = {
  title: string
  placeholder: string
  results: string
  nothing: string
  /** How many are not shown. */
  more: (count: number) => string
}

/** The most options that are shown at once: with more, a person types. */
const MOST = 50

/** A dialog to choose one of many. */
export function Chooser<Item>({
  words,
  find,
  keyOf,
  children,
  onChoose,
  onClose,
}: {
  words: Words
  /** The items that match the typed text, the best first. */
  find: (typed: string) => readonly Item[]
  keyOf: (item: Item) => string
  children: (item: Item) => ReactNode
  onChoose: (item: Item) => void
  onClose: () => void
}) {
  const [typed, setTyped] = useState('')
  const found = find(typed)
  const items = found.slice(0, MOST)
  const { field, list, optionOf } = useCombobox({ words, items, keyOf, onChoose, typed, onType: setTyped })

  return (
    <Modal title={words.title} onClose={onClose} top hiddenTitle>
      <ComboboxField field={field} />
      <div {...list} className="min-h-0 overflow-y-auto p-2">
        {items.map((item) => (
          <div
            key={keyOf(item)}
            {...optionOf(item)}
            className="cursor-pointer rounded-sm px-2 py-1.5 aria-selected:bg-info-bg max-md:min-h-11"
          >
            {children(item)}
          </div>
        ))}
      </div>
      <output className="shrink-0 border-t border-line px-4 py-2 text-xs text-muted empty:border-0 empty:p-0">
        {found.length === 0 ? words.nothing : found.length > MOST ? words.more(found.length - MOST) : ''}
      </output>
    </Modal>
  )
}
