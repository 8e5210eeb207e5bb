import { useEffect, type RefObject } from 'react'

/** Without an event for this long, nothing scrolls any more, in ms. */
const REST_MS = 150

/**
 * Lets the frozen columns of a table go while it is scrolled up or down and not at all sideways: `data-gliding` on the
 * table then. Cells that stick are a layer each, in every frame; where nothing is scrolled sideways they stand where
 * they would anyway.
 */
export function useFrozenColumns(table: RefObject<HTMLElement | null>, scroller: HTMLElement | null): void {
  useEffect(() => {
    if (!scroller) return
    let resting: ReturnType<typeof setTimeout> | undefined
    const glide = (glides: boolean) => table.current?.toggleAttribute('data-gliding', glides)
    const scrolled = () => {
      glide(scroller.scrollLeft === 0)
      clearTimeout(resting)
      resting = setTimeout(glide, REST_MS, false)
    }
    // Captured: before new rows are drawn, or to read how far it is scrolled would lay them out a second time.
    const options = { passive: true, capture: true }
    scroller.addEventListener('scroll', scrolled, options)
    return () => {
      scroller.removeEventListener('scroll', scrolled, options)
      clearTimeout(resting)
    }
  }, [table, scroller])
}
