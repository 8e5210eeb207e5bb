import { useEffect, type RefObject } from 'react'

/** Scrolling counts as over after this long without an event, in ms. */
const REST_MS = 150

/**
 * Makes frozen columns non-sticky (`data-unfrozen`) during vertical scrolling if the table is not scrolled sideways.
 * They then look the same, and the browser saves one layer for each sticky cell in every frame.
 */
export function useUnfreezeWhileScrolling(
  table: RefObject<HTMLElement | null>,
  scroller: HTMLElement | null,
): void {
  useEffect(() => {
    if (!scroller) return
    let resting: ReturnType<typeof setTimeout> | undefined
    const unfreeze = (unfrozen: boolean) => table.current?.toggleAttribute('data-unfrozen', unfrozen)
    const scrolled = () => {
      unfreeze(scroller.scrollLeft === 0)
      clearTimeout(resting)
      resting = setTimeout(unfreeze, REST_MS, false)
    }
    // In the capture phase, before new rows are drawn: after that, reading the scroll position would force a second
    // layout.
    const options = { passive: true, capture: true }
    scroller.addEventListener('scroll', scrolled, options)
    return () => {
      scroller.removeEventListener('scroll', scrolled, options)
      clearTimeout(resting)
    }
  }, [table, scroller])
}
