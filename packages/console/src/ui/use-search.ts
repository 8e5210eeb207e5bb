import { useRef } from 'react'
import { useKeys } from '#console/ui/keys.ts'
import { useDraft } from '#console/ui/use-draft.ts'

/** The pause in typing before the address takes a search, in ms. */
const REST_MS = 250

/**
 * A screen's search: `draft` is the typed text, stored in the address as `search`. `field` holds the props of the
 * `SearchField`, which `/` focuses.
 */
export function useSearch(search: string | undefined, onSearch: (search: string | undefined) => void) {
  const ref = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useDraft(search ?? '', (value) => onSearch(value || undefined), REST_MS)
  useKeys({ '/': () => ref.current?.focus() })
  return { draft, clear: () => setDraft(''), field: { ref, value: draft, onValue: setDraft } }
}
