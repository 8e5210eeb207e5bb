import type { SelectAllHeading, SelectCell } from '#console/ui/select-cells.tsx'

export type Key = string | number

/** The selected rows, by key. */
export type Selected = {
  keys: ReadonlySet<Key>
  /** Where a range begins: the row that was pressed last. */
  anchor?: Key
  /** Where the last range ended. */
  end?: Key
  /** The selection before the range. */
  base: ReadonlySet<Key>
}

export const NOTHING_SELECTED: Selected = { keys: new Set(), base: new Set() }

/** Selects the row, or no longer selects it. */
export function toggled({ keys }: Pick<Selected, 'keys'>, key: Key): Selected {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return { keys: next, anchor: key, end: key, base: next }
}

/**
 * Selects the rows from the anchor to this one, or deselects them if the anchor is not selected. A further range from
 * the same anchor replaces this one. Without an anchor in `order`, the range begins at this row.
 */
export function extended(selected: Selected, key: Key, order: readonly Key[]): Selected {
  const { base, anchor } = selected
  const from = anchor === undefined ? -1 : order.indexOf(anchor)
  const to = order.indexOf(key)
  if (from < 0 || to < 0) return beginning(selected, key)
  const next = new Set(base)
  for (const one of order.slice(Math.min(from, to), Math.max(from, to) + 1)) {
    if (base.has(order[from]!)) next.add(one)
    else next.delete(one)
  }
  return { ...selected, keys: next, end: key }
}

/** Extends the range by one step, from one row to the next. It begins at `from` unless the last range ended there. */
export function stepped(selected: Selected, from: Key, to: Key, order: readonly Key[]): Selected {
  return extended(selected.end === from ? selected : beginning(selected, from), to, order)
}

/** Selects the row, from which a range may begin. */
function beginning({ keys }: Selected, key: Key): Selected {
  return keys.has(key) ? { keys, anchor: key, end: key, base: keys } : toggled({ keys }, key)
}

/** What a list needs to let a person select rows. */
export type RowSelection<Row> = {
  /** Whether the rows have checkboxes now. */
  on: boolean
  /** They come with the selection, so that other lists do not load them. */
  Cell: typeof SelectCell
  Heading: typeof SelectAllHeading
  keys: ReadonlySet<Key>
  /** The row's name in the label of its checkbox. */
  nameOf: (row: Row) => string
  /** Selects a row, or with `range` all from the last one to it. Switches the checkboxes on. */
  press: (row: Row, range?: boolean) => void
  /** Selects both rows as parts of a range, for the arrow keys. */
  step: (from: Row, to: Row) => void
  /** Selects all rows shown; none if all are selected. */
  pressAll: () => void
  begin: () => void
  /** Deselects all and switches the checkboxes off. */
  end: () => void
}

/** The selected rows, for the bar with the actions on them. */
export type SelectedRows<Row> = {
  rows: readonly Row[]
  /** How many of them do not match the filter. */
  hidden: number
  /** All rows shown are selected. */
  isAll: boolean
  pressAll: () => void
  end: () => void
}
