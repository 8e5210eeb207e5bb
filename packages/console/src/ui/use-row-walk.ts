import { useRef, type RefObject } from 'react'
import { useKeys } from '#console/ui/keys.ts'

/** Frames to wait for a row that has just been scrolled to. */
const PATIENCE = 20

type Spec = {
  /** The element that holds the rows; each carries `data-index`, and `data-opens` on what Enter presses. */
  list: RefObject<HTMLElement | null>
  count: number
  /** Whether this row can be walked to; a row of details cannot. */
  walks(index: number): boolean
  reveal(index: number): void
  copy(index: number): void
}

/** `j` and `k` walk the rows, mounted or not; Enter then presses what has the focus; `c` copies. */
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
    const target = list.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-opens]`)
    if (target) target.focus({ preventScroll: true })
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
