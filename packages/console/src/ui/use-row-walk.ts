import { useRef, type RefObject } from 'react'
import { useKeys } from '#console/ui/keys.ts'

/** Frames to wait for a row that was just scrolled to. */
const PATIENCE = 20

type Spec = {
  /**
   * The element that holds the rows. Each row has `data-index`, and may have `data-opens` on the control that Enter
   * presses.
   */
  list: RefObject<HTMLElement | null>
  count: number
  /** Whether this row can take the focus. A row of details cannot. */
  walks(index: number): boolean
  reveal(index: number): void
  copy(index: number): void
}

/**
 * `j` and `k` walk through the rows, mounted or not. The focus goes to the control that opens the row, so that Enter
 * presses it, or to the row itself if it has none. `c` copies.
 */
export function useRowWalk({ list, count, walks, reveal, copy }: Spec): void {
  const last = useRef(-1)

  function walk(step: 1 | -1): void {
    let next = (focusedRow() ?? last.current) + step
    while (next >= 0 && next < count && !walks(next)) next += step
    if (next < 0 || next >= count) return
    last.current = next
    reveal(next)
    focusWhenThere(next, PATIENCE)
  }

  function focusWhenThere(index: number, frames: number): void {
    const row = list.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    if (row) focusable(row).focus({ preventScroll: true })
    else if (frames > 0) requestAnimationFrame(() => focusWhenThere(index, frames - 1))
  }

  function focusedRow(): number | undefined {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]')
    return row && list.current?.contains(row) ? Number(row.dataset.index) : undefined
  }

  useKeys({
    j: () => walk(1),
    k: () => walk(-1),
    c: () => {
      const row = focusedRow()
      if (row !== undefined) copy(row)
    },
  })
}

function focusable(row: HTMLElement): HTMLElement {
  const opens = row.querySelector<HTMLElement>('[data-opens]:not(:disabled)')
  // Set only now, since a focusable row would take the focus from the list when pressed.
  if (!opens) row.tabIndex = -1
  return opens ?? row
}
