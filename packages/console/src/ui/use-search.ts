import { useRef } from 'react'
import { useKeys } from '#console/ui/keys.ts'
import { useDraft } from '#console/ui/use-draft.ts'

/** How long the typing rests before the address takes a search, in ms. */
const REST_MS = 250

/**
 * The search of a screen: `draft` is what is typed, kept in the address as `search`. `field` is for the `SearchField`,
 * which `/` brings the focus to.
 */
export function useSearch(search: string | undefined, onSearch: (search: string | undefined) => void) {
  const ref = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useDraft(search ?? '', (value) => onSearch(value || undefined), REST_MS)
  useKeys({ '/': () => ref.current?.focus() })
  return { draft, clear: () => setDraft(''), field: { ref, value: draft, onValue: setDraft } }
}
