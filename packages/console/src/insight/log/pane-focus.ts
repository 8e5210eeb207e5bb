import type { KeyboardEvent } from 'react'

/**
 * Tab leads from the open row to its details beside the list, and Shift+Tab back: in between lie all the other rows.
 * To be heard where both are inside.
 */
export function tabBesideList(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Tab' || event.defaultPrevented || !(event.target instanceof Element)) return
  const { currentTarget: both, target, shiftKey } = event
  const row = openRow(both)
  const first = both.querySelector<HTMLElement>('aside button')
  const [from, to] = shiftKey ? [first, row] : [row, first]
  if (target !== from || !to) return
  event.preventDefault()
  to.focus()
}

/** Before the details go: what had the focus in them gives it back to their row, or to the list where that is far. */
export function leavePane(list: HTMLElement | null): void {
  if (list && document.activeElement?.closest('aside')) (openRow(list) ?? list).focus()
}

function openRow(within: Element): HTMLElement | null {
  return within.querySelector<HTMLElement>('[role=row][aria-current] [data-opens]')
}
