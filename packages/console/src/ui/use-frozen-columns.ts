import { useEffect, type RefObject } from 'react'

/** Scrolling counts as over after this long without an event, in ms. */
const REST_MS = 150

/**
 * Unfreezes a table's columns during vertical scrolling: `data-gliding` is then set on the table. Sticky cells are one
 * layer each in every frame. Without horizontal scrolling they are in their normal place anyway.
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
