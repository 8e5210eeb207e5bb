import { useSyncExternalStore, type ReactNode } from 'react'
import { openListeners } from '#console/core/listeners.ts'

export type VisibleRows = { first: number; last: number }
export type RowRange = ReturnType<typeof openRowRange>

/**
 * The range of table rows on screen, by index. It changes with nearly every frame of a scroll, so only its subscribers
 * redraw, not the screen.
 */
export function openRowRange() {
  const { listen, tell } = openListeners()
  let range: VisibleRows = { first: 0, last: 0 }
  return {
    get: () => range,
    set(next: VisibleRows) {
      if (next.first === range.first && next.last === range.last) return
      range = next
      tell()
    },
    subscribe: listen,
  }
}

/** Renders words about the current range. */
export function RangeWords({
  range,
  children,
}: {
  range: RowRange
  children: (now: VisibleRows) => ReactNode
}) {
  return children(useSyncExternalStore(range.subscribe, range.get))
}
