import { useLayoutEffect, useState, type RefObject } from 'react'

/** The offset of a part within its scroller, in px. It is measured again when the content above changes height. */
export function useOffset(part: RefObject<HTMLElement | null>, scroller: HTMLElement | null): number {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const above = scroller?.firstElementChild
    if (!scroller || !above) return
    const observer = new ResizeObserver(() => {
      if (!part.current) return
      const top = part.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top
      setOffset(Math.round(top + scroller.scrollTop))
    })
    observer.observe(above)
    return () => observer.disconnect()
  }, [part, scroller])
  return offset
}
