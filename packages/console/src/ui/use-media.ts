import { useCallback, useMemo, useSyncExternalStore } from 'react'

/** From this width on, the menu is next to the screen and lists are tables. */
export const WIDE_SCREEN = '(min-width: 768px)'

export function useMedia(query: string): boolean {
  // Made only once, as another `matchMedia` call costs more than a row does.
  const list = useMemo(() => matchMedia(query), [query])
  const subscribe = useCallback(
    (listener: () => void) => {
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [list],
  )
  return useSyncExternalStore(subscribe, () => list.matches)
}
