import { Search } from 'lucide-react'
import { useId, useLayoutEffect, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Modal } from '#console/ui/dialog.tsx'

/** Roles that no HTML element has by default. */
const roles = { listbox: { role: 'listbox' }, option: { role: 'option' } } as const

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

/** A dialog to choose one of many: a text field that keeps the focus, above a list that it controls. */
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
  const [pointed, setPointed] = useState<string>()
  const found = find(typed)
  const shown = found.slice(0, MOST)
  const current = shown.find((item) => keyOf(item) === pointed) ?? shown[0]
  const listId = useId()
  const optionId = (item: Item) => `${listId}-${keyOf(item)}`
  const currentId = current && optionId(current)

  useLayoutEffect(() => {
    if (currentId) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' })
  }, [currentId])

  function press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const at = current ? shown.indexOf(current) : -1
    const next = step === undefined ? undefined : shown[(at + step + shown.length) % shown.length]
    if (next) setPointed(keyOf(next))
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && current) onChoose(current)
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
          onChange={({ target }) => {
            setTyped(target.value)
            setPointed(undefined)
          }}
          onKeyDown={press}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
        />
      </div>
      <div {...roles.listbox} id={listId} aria-label={words.results} className="min-h-0 overflow-y-auto p-2">
        {shown.map((item) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the focus stays in the field, whose keys choose the option
          <div
            key={keyOf(item)}
            {...roles.option}
            id={optionId(item)}
            aria-selected={item === current}
            onPointerMove={item === current ? undefined : () => setPointed(keyOf(item))}
            onClick={() => onChoose(item)}
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
