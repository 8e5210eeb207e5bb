import { memo } from 'react'
import type { LogColumn } from '#console/messages/log-columns.tsx'
import { stateOf, type LogRow as Row } from '#console/messages/messages.ts'
import { as } from '#console/ui/table-roles.ts'

type Props = {
  row: Row
  index: number
  columns: LogColumn[]
  current: boolean
  measure: (element: HTMLTableRowElement | null) => void
}

/** Plain cells, drawn again only when the row's object is another one. */
export const LogRow = memo(function LogRow({ row, index, columns, current, measure }: Props) {
  return (
    <tr
      {...as.row}
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      aria-current={current || undefined}
      data-state={stateOf(row)}
      data-blocked={row.error_block || undefined}
    >
      {columns.map(({ key, cell, mono }) => {
        const value = row[key]
        return (
          <td
            key={key}
            {...as.cell}
            data-column={key}
            className={mono ? 'mono' : undefined}
            title={typeof value === 'string' && value.length > 16 ? value : undefined}
          >
            {cell(row)}
          </td>
        )
      })}
    </tr>
  )
})
