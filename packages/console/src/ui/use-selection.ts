import { useState } from 'react'
import { SelectAllHeading, SelectCell } from '#console/ui/select-cells.tsx'
import {
  extended,
  NOTHING_SELECTED,
  stepped,
  toggled,
  type Key,
  type RowSelection,
  type SelectedRows,
} from '#console/ui/selection.ts'

/**
 * The selection of a list, over the rows shown, in their order. Rows that a filter hides stay selected.
 * Rows that no longer exist do not count.
 */
export function useSelection<Row>({
  all,
  shown,
  keyOf,
  nameOf,
}: {
  all: readonly Row[]
  shown: readonly Row[]
  keyOf: (row: Row) => Key
  nameOf: (row: Row) => string
}): RowSelection<Row> & SelectedRows<Row> {
  const [on, setOn] = useState(false)
  const [selected, setSelected] = useState(NOTHING_SELECTED)
  const rows = selected.keys.size === 0 ? [] : all.filter((row) => selected.keys.has(keyOf(row)))
  const shownCount =
    selected.keys.size === 0 ? 0 : shown.filter((row) => selected.keys.has(keyOf(row))).length
  const isAll = shown.length > 0 && shownCount === shown.length

  const selection: RowSelection<Row> = {
    on,
    Cell: SelectCell,
    Heading: SelectAllHeading,
    keys: selected.keys,
    nameOf,
    press(row, range = false) {
      setOn(true)
      setSelected((now) => (range ? extended(now, keyOf(row), shown.map(keyOf)) : toggled(now, keyOf(row))))
    },
    step(from, to) {
      setOn(true)
      setSelected((now) => stepped(now, keyOf(from), keyOf(to), shown.map(keyOf)))
    },
    pressAll() {
      setOn(true)
      const keys = new Set(selected.keys)
      for (const row of shown) {
        if (isAll) keys.delete(keyOf(row))
        else keys.add(keyOf(row))
      }
      setSelected({ ...NOTHING_SELECTED, keys })
    },
    begin: () => setOn(true),
    end() {
      setOn(false)
      setSelected(NOTHING_SELECTED)
    },
  }
  return { ...selection, rows, isAll, hidden: rows.length - shownCount }
}
