import { Search } from 'lucide-react'
import type { Ref } from 'react'
import { boxLook, inputLook, kbdLook } from '#console/ui/field.tsx'

/** A screen's search field; `/` focuses it. Enter and Escape leave it, so that single keys act on the list again. */
export function SearchField({
  placeholder,
  value,
  onValue,
  className = '',
  maxLength = 100,
  ref,
}: {
  placeholder: string
  value: string
  onValue: (value: string) => void
  className?: string
  /** Most addresses ignore a longer search. */
  maxLength?: number
  ref?: Ref<HTMLInputElement>
}) {
  return (
    <span className={`${boxLook} h-[34px] px-2.5 max-md:h-[46px] ${className}`}>
      <Search className="size-4 shrink-0 text-muted" aria-hidden="true" />
      <input
        ref={ref}
        type="search"
        aria-label={placeholder}
        placeholder={placeholder}
        value={value}
        maxLength={maxLength}
        onChange={(event) => onValue(event.target.value)}
        onKeyDown={(event) => {
          if (!['Enter', 'Escape'].includes(event.key) || event.nativeEvent.isComposing) return
          // Otherwise the browser empties the field, or the screen closes its open row.
          event.preventDefault()
          event.stopPropagation()
          event.currentTarget.blur()
        }}
        autoComplete="off"
        spellCheck={false}
        className={`h-full ${inputLook} [&::-webkit-search-cancel-button]:appearance-none`}
      />
      <kbd aria-hidden="true" className={`${kbdLook} max-md:hidden`}>
        /
      </kbd>
    </span>
  )
}
