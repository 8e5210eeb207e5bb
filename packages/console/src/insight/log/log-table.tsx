import { useCallback, useMemo, type CSSProperties, type MouseEvent, type ReactNode } from 'react'
import { logs as words } from './text.ts'
import { isWhich, type Which } from '#console/messages/messages/which.ts'
import type { LogColumn } from './log-columns.tsx'
import { LogRow } from './log-row.tsx'
import type { LogRow as Row } from './log.ts'
import { copyText } from '#console/ui/copy.ts'
import type { Density } from '#console/ui/density.tsx'
import type { RowRange } from '#console/ui/row-range.ts'
import { cellLook, RowTable } from '#console/ui/row-table.tsx'
import { as } from '#console/ui/table-roles.ts'
import { useMedia, WIDE } from '#console/ui/use-media.ts'
import './logs.css'

/** Of a row, in px. */
const HEIGHTS = { compact: 33, comfortable: 43 } as const
const CARD_HEIGHT = 85

type Props = {
  rows: Row[]
  columns: LogColumn[]
  density: Density
  /** The open row. */
  current: Which | undefined
  busy: boolean
  hasMore: boolean
  onMore: () => void
  onOpen: (row: Row) => void
  range: RowRange
  /** What scrolls the list; null until it is there. */
  scroller: HTMLElement | null
  /** Shown in place of rows. */
  children: ReactNode
}

export function LogTable({ rows, columns, density, current, onOpen, children, ...rest }: Props) {
  const wide = useMedia(WIDE)
  const keyOf = useCallback((index: number) => rows[index]?.id ?? index, [rows])

  function open(event: MouseEvent): void {
    // Who marks text to copy it does not want the row.
    if (getSelection()?.isCollapsed === false) return
    const row = (event.target as Element).closest<HTMLElement>('[data-index]')
    const its = row && rows[Number(row.dataset.index)]
    if (its) onOpen(its)
  }

  const style = useMemo(() => {
    const tracks = columns.map(({ width }, n) =>
      n === columns.length - 1 ? `minmax(${width}px, 1fr)` : `${width}px`,
    )
    return { '--columns': tracks.join(' '), '--first': `${columns[0]?.width}px` } as CSSProperties
  }, [columns])

  return (
    <RowTable
      {...rest}
      label={words.table}
      className="log-table"
      isTable={wide}
      rowHeight={wide ? HEIGHTS[density] : CARD_HEIGHT}
      measured={!wide}
      count={rows.length}
      keyOf={keyOf}
      row={(index, place) => {
        const row = rows[index]
        if (!row) return null
        const isCurrent = current !== undefined && isWhich(row, current)
        return <LogRow key={row.id} row={row} columns={columns} current={isCurrent} {...place} />
      }}
      head={columns.map(({ key, frozen }) => (
        <th key={key} {...as.heading} data-column={key} className={cellLook({ frozen })}>
          {words.columns[key]}
        </th>
      ))}
      columnCount={columns.length}
      style={style}
      skeletons={wide ? 12 : 6}
      onCopy={(index) => {
        const guid = rows[index]?.guid
        if (guid) void copyText(guid, words.copied)
      }}
      // The keyboard has the button in the first cell.
      on={{ onClick: open }}
    >
      {children}
    </RowTable>
  )
}
