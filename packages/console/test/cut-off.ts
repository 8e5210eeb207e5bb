import type { Page } from 'playwright-core'

/**
 * Finds content that cannot be read or reached at this size: outside the window, cut off without the full text, or out
 * of reach of scrolling. Tables may scroll sideways, and so may elements with `overflow: auto` or `scroll`. A text that
 * ends in an ellipsis has the full text in its title.
 */
export function cutOffFindings(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = []
    const { scrollWidth, scrollHeight } = document.documentElement
    if (scrollWidth > innerWidth) found.push(`the page is ${scrollWidth} wide`)
    const inner = [...document.querySelectorAll('main *')].some((element) => scrolls(element, 'overflowY'))
    if (inner && scrollHeight > innerHeight) found.push(`the page itself scrolls too: ${scrollHeight} high`)

    // Behind a modal nothing needs to be reachable.
    const top = [...document.querySelectorAll('[role=dialog]')].at(-1) ?? document.body
    for (const element of top.querySelectorAll<HTMLElement>(
      'a, button, input, select, textarea, summary, label, h1, h2, p, dt, dd, th, td, output, legend',
    )) {
      if (!isShown(element) || element.closest('[role=table], .sr-only, [inert]')) continue
      const style = getComputedStyle(element)
      const hides = style.overflowX !== 'visible' && !element.matches('input, select, textarea')
      if (
        hides &&
        element.scrollWidth > element.clientWidth + 1 &&
        !element.title &&
        style.textOverflow !== 'ellipsis'
      )
        found.push(`cut: ${describe(element)}`)
      if (!element.matches('a, button, input, select, textarea, summary, h1')) continue
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      const { left, right, top: above, bottom } = element.getBoundingClientRect()
      const width = Math.min(right - left, innerWidth)
      if (left < -1 || right > innerWidth + 1) found.push(`outside the window: ${describe(element)}`)
      const y = Math.max(above, 0) + Math.min(bottom - above, 20) / 2
      const over = [0.5, 0.75].map((share) => document.elementFromPoint(left + width * share, y))
      const hit = over.some((at) => at && (element.contains(at) || at.closest('label')?.contains(element)))
      if (hit && within(element).some(isMoved))
        found.push(`hidden until it has the focus: ${describe(element)}`)
      if (!hit)
        found.push(`out of reach: ${describe(element)} (over it: ${over[0] ? describe(over[0]) : 'nothing'})`)
    }
    return found

    function scrolls(element: Element, axis: 'overflowX' | 'overflowY'): boolean {
      const room = axis === 'overflowX' ? 'Width' : 'Height'
      return (
        /auto|scroll/.test(getComputedStyle(element)[axis]) &&
        element[`scroll${room}`] > element[`client${room}`]
      )
    }

    /** Scrolled only by the focus: a user cannot scroll it. */
    function isMoved(element: Element): boolean {
      const { overflowX, overflowY } = getComputedStyle(element)
      return (
        (overflowX === 'hidden' && element.scrollLeft > 0) ||
        (overflowY === 'hidden' && element.scrollTop > 0)
      )
    }

    function isShown(element: HTMLElement): boolean {
      const { width, height } = element.getBoundingClientRect()
      return width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true })
    }

    function within(element: Element): Element[] {
      const parent = element.parentElement
      return parent ? [parent, ...within(parent)] : []
    }

    function describe(element: Element): string {
      return `${element.tagName.toLowerCase()} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60)}”`
    }
  })
}
