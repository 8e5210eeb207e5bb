import { useCallback, useSyncExternalStore } from 'react'

/** From here on the menu stands beside the screen and tables are tables. */
export const WIDE = '(min-width: 768px)'

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}
