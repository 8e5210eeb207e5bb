import type { KeyboardEvent } from 'react'

/**
 * Tab moves from the open row to its details next to the list, and Shift+Tab back. Otherwise all other rows would come
 * in between. Attach it to an element that contains both.
 */
export function tabBetweenRowAndDetails(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Tab' || event.defaultPrevented || !(event.target instanceof Element)) return
  const { currentTarget: both, target, shiftKey } = event
  const row = openRow(both)
  const first = both.querySelector<HTMLElement>('aside button')
  const [from, to] = shiftKey ? [first, row] : [row, first]
  if (target !== from || !to) return
  event.preventDefault()
  to.focus()
}

/**
 * Call before the details close: if they have the focus, it moves to their row, or to the list if that row is not
 * mounted.
 */
export function returnPaneFocus(list: HTMLElement | null): void {
  if (list && document.activeElement?.closest('aside')) (openRow(list) ?? list).focus()
}

function openRow(within: Element): HTMLElement | null {
  return within.querySelector<HTMLElement>('[role=row][aria-current] [data-opens]')
}
