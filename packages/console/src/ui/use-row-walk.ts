import { useRef, type RefObject } from 'react'
import { useKeys, useSearchExit } from '#console/ui/keys.ts'

/** Frames to wait for a row that was just scrolled to. */
const PATIENCE = 20

export type RowKeys = {
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
  /** Selects rows: see `RowSelection`. */
  selecting?:
    | {
        press(index: number, range: boolean): void
        step(from: number, to: number): void
        all(): void
      }
    | undefined
  /** Called with the row that `j` or `k` leads to. */
  onWalk?: ((index: number) => void) | undefined
}

/**
 * `j` and `k` walk through the rows, mounted or not. The focus goes to the control that opens the row, so that Enter
 * presses it, or to the row itself if it has none. The down arrow leads from a search field to the first row. `c`
 * copies. `x` selects, Shift and an arrow selects a range, and `*` selects all.
 */
export function useRowWalk({ list, count, walks, reveal, copy, selecting, onWalk }: RowKeys): void {
  const last = useRef(-1)
  /** The row that gets the focus once it is mounted. A further key leads on from it. */
  const awaited = useRef<number>(undefined)
  /** Enter was pressed for the awaited row. */
  const opens = useRef(false)

  /** Returns the row that gets the focus; undefined at either end. */
  function walk(
    step: 1 | -1,
    from = awaited.current ?? focusedRow() ?? currentRow() ?? last.current,
  ): number | undefined {
    let next = from + step
    while (next >= 0 && next < count && !walks(next)) next += step
    if (next < 0 || next >= count) return undefined
    last.current = awaited.current = next
    opens.current = false
    reveal(next)
    onWalk?.(next)
    focusWhenThere(next, PATIENCE)
    return next
  }

  function extend(step: 1 | -1): void {
    const from = focusedRow()
    const to = walk(step)
    if (from !== undefined && to !== undefined && walks(from)) selecting?.step(from, to)
  }

  function focusWhenThere(index: number, frames: number): void {
    if (awaited.current !== index) return
    const row = list.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    if (row || frames === 0) awaited.current = undefined
    if (row) {
      const target = focusable(row)
      target.focus({ preventScroll: true })
      if (opens.current) target.click()
    } else if (frames > 0) requestAnimationFrame(() => focusWhenThere(index, frames - 1))
  }

  function withFocusedRow(act: (index: number) => void): void {
    const row = focusedRow()
    if (row !== undefined && walks(row)) act(row)
  }

  function focusedRow(): number | undefined {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]')
    return row && list.current?.contains(row) ? Number(row.dataset.index) : undefined
  }

  /** The row whose details are open. */
  function currentRow(): number | undefined {
    const row = list.current?.querySelector<HTMLElement>('[aria-current][data-index]')
    return row ? Number(row.dataset.index) : undefined
  }

  useSearchExit(() => void walk(1, -1))
  useKeys({
    j: () => void walk(1),
    k: () => void walk(-1),
    // Without an awaited row, Enter presses the focused control as usual.
    get Enter() {
      return awaited.current === undefined ? undefined : () => (opens.current = true)
    },
    ...(selecting && {
      x: () => withFocusedRow((row) => selecting.press(row, false)),
      X: () => withFocusedRow((row) => selecting.press(row, true)),
      '*': () => selecting.all(),
      'Shift+ArrowDown': () => extend(1),
      'Shift+ArrowUp': () => extend(-1),
    }),
    c: () => withFocusedRow(copy),
  })
}

function focusable(row: HTMLElement): HTMLElement {
  const opens = row.querySelector<HTMLElement>('[data-opens]:not(:disabled)')
  // Set only now, since a focusable row would take the focus from the list when pressed.
  if (!opens) row.tabIndex = -1
  return opens ?? row
}
