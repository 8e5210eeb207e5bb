import { useCallback, useMemo, useSyncExternalStore } from 'react'

/** From here on the menu stands beside the screen and tables are tables. */
export const WIDE = '(min-width: 768px)'

export function useMedia(query: string): boolean {
  // Made once: asking for it anew costs more than a row does.
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
