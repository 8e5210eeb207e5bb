import { selecting as words } from '#console/ui/selection-text.ts'
import { tableRoles } from '#console/ui/table-roles.ts'

/** The checkbox that selects a row. Its row handles the press, since Shift selects a range. */
export function SelectCell({ act, name, selected }: { act: string; name: string; selected: boolean }) {
  return (
    <td {...tableRoles.cell} data-act={act} className="select">
      <input
        type="checkbox"
        className="size-[18px]"
        aria-label={words.row(name)}
        checked={selected}
        readOnly
      />
    </td>
  )
}

/** The checkbox that selects all rows shown. */
export function SelectAllHeading<Row>({
  selection: { keys, pressAll },
  rows,
  keyOf,
}: {
  selection: { keys: ReadonlySet<string | number>; pressAll: () => void }
  rows: readonly Row[]
  keyOf: (row: Row) => string | number
}) {
  const count = keys.size === 0 ? 0 : rows.filter((row) => keys.has(keyOf(row))).length
  return (
    <th {...tableRoles.heading} className="select">
      <input
        type="checkbox"
        className="size-[18px]"
        aria-label={words.all(String(rows.length))}
        ref={(box) => {
          if (box) box.indeterminate = count > 0 && count < rows.length
        }}
        checked={count > 0 && count === rows.length}
        onChange={pressAll}
      />
    </th>
  )
}
