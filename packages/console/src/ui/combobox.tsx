import { Search } from 'lucide-react'
import {
  useId,
  useLayoutEffect,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
} from 'react'

/** Roles that no HTML element has by default. */
const roles = { listbox: { role: 'listbox' }, option: { role: 'option' } } as const

type Words = { title: string; placeholder: string; results: string }

/**
 * The state of a text field that keeps the focus, above a list of options that it controls. The first option is the
 * current one until the keys or the pointer choose another.
 */
export function useCombobox<Item>({
  words,
  items,
  keyOf,
  onChoose,
  typed,
  onType,
}: {
  words: Words
  items: readonly Item[]
  keyOf: (item: Item) => string
  onChoose: (item: Item) => void
  typed: string
  onType: (typed: string) => void
}) {
  const [pointed, setPointed] = useState<string>()
  const current = items.find((item) => keyOf(item) === pointed) ?? items[0]
  const listId = useId()
  const optionId = (item: Item) => `${listId}-${keyOf(item).replace(/\s/g, '-')}`
  const currentId = current && optionId(current)

  useLayoutEffect(() => {
    if (currentId) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' })
  }, [currentId])

  function press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const at = current ? items.indexOf(current) : -1
    const next = step === undefined ? undefined : items[(at + step + items.length) % items.length]
    if (next) setPointed(keyOf(next))
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && current) onChoose(current)
    else return
    event.preventDefault()
  }

  return {
    field: {
      'aria-label': words.title,
      'aria-controls': listId,
      'aria-activedescendant': currentId,
      placeholder: words.placeholder,
      value: typed,
      onChange: ({ target }) => {
        onType(target.value)
        setPointed(undefined)
      },
      onKeyDown: press,
    } satisfies ComponentProps<'input'>,
    list: { ...roles.listbox, id: listId, 'aria-label': words.results },
    optionOf: (item: Item) => ({
      ...roles.option,
      id: optionId(item),
      'aria-selected': item === current,
      onPointerMove: item === current ? undefined : () => setPointed(keyOf(item)),
      onClick: () => onChoose(item),
    }),
  }
}

/** The field of a combobox, at the top of its dialog. */
export function ComboboxField({ field, children }: { field: ComponentProps<'input'>; children?: ReactNode }) {
  return (
    <div className="flex shrink-0 items-center gap-2.5 border-b border-line px-4">
      <Search className="size-4 shrink-0 text-muted" aria-hidden="true" />
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={field['aria-controls']}
        aria-autocomplete="list"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
        {...field}
      />
      {children}
    </div>
  )
}
