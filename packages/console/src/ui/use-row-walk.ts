import { useRef, type RefObject } from 'react'
import { useKeys } from '#console/ui/keys.ts'

/** Frames to wait for a row that has just been scrolled to. */
const PATIENCE = 20

type Spec = {
  /** The element that holds the rows; each carries `data-index`, and may have `data-opens` on what Enter presses. */
  list: RefObject<HTMLElement | null>
  count: number
  /** Whether this row can be walked to; a row of details cannot. */
  walks(index: number): boolean
  reveal(index: number): void
  copy(index: number): void
}

/**
 * `j` and `k` walk the rows, mounted or not: the focus goes to what opens the row, which Enter then presses, or to the
 * row itself where nothing in it can be pressed. `c` copies.
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
  // Only from now on: a row that can be focused takes the focus from the list when it is pressed.
  if (!opens) row.tabIndex = -1
  return opens ?? row
}
