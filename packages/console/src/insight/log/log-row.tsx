import { memo } from 'react'
import type { LogColumn } from './log-columns.tsx'
import { stateOf, type LogRow as Row } from './log.ts'
import { cellLook, placed, type Place } from '#console/ui/row-table.tsx'
import { as } from '#console/ui/table-roles.ts'

type Props = Place & {
  row: Row
  columns: LogColumn[]
  current: boolean
}

/** Plain cells, drawn again only when the row's object is another one. */
export const LogRow = memo(function LogRow({ row, columns, current, ...place }: Props) {
  return (
    <tr
      {...placed(place)}
      aria-current={current || undefined}
      data-state={stateOf(row)}
      data-blocked={row.error_block || undefined}
    >
      {columns.map(({ key, cell, mono, frozen, whole }) => (
        <td
          key={key}
          {...as.cell}
          data-column={key}
          className={cellLook({ mono, frozen })}
          title={whole?.(row)}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  )
})
