import { useLayoutEffect, useState, type RefObject } from 'react'

/** Where something begins in what scrolls it, in px; what stands above it may change its height. */
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
