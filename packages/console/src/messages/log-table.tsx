import { useVirtualizer } from '@tanstack/react-virtual'
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  type CSSProperties,
  type MouseEvent,
  type ReactNode,
} from 'react'
import { text } from '#console/core/text.ts'
import type { LogColumn } from '#console/messages/log-columns.tsx'
import { LogRow } from '#console/messages/log-row.tsx'
import type { LogRow as Row } from '#console/messages/messages.ts'
import { copyText } from '#console/ui/copy.ts'
import type { Density } from '#console/ui/density.tsx'
import { useMedia, WIDE } from '#console/ui/use-media.ts'
import { useRowWalk } from '#console/ui/use-row-walk.ts'
import '#console/messages/logs.css'
import { as } from '#console/ui/table-roles.ts'

const words = text.logs

/** Rows before the end at which the next page is asked for. */
const AHEAD = 60

/** Of a row, in px. */
const HEIGHTS = { compact: 33, comfortable: 43 } as const
const CARD_HEIGHT = 85

export type Range = { first: number; last: number }

type Props = {
  rows: Row[]
  columns: LogColumn[]
  density: Density
  /** The guid of the open row. */
  current: string | undefined
  busy: boolean
  hasMore: boolean
  onMore: () => void
  onOpen: (guid: string) => void
  /** Hears which rows are on screen. */
  onRange: (range: Range) => void
  /** What scrolls the list; null until it is there. */
  scroller: HTMLElement | null
  /** Shown in place of rows. */
  children: ReactNode
}

export function LogTable({
  rows,
  columns,
  density,
  current,
  busy,
  hasMore,
  onMore,
  onOpen,
  onRange,
  scroller,
  children,
}: Props) {
  const wide = useMedia(WIDE)
  const height = wide ? HEIGHTS[density] : CARD_HEIGHT
  const body = useRef<HTMLTableSectionElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- no React compiler here
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: useCallback(() => height, [height]),
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    overscan: 8,
    scrollPaddingStart: 40,
    directDomUpdates: true,
  })
  // Rows that are not mounted have the new height too.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, height])
  const items = virtualizer.getVirtualItems()
  const first = virtualizer.range?.startIndex ?? 0
  const last = virtualizer.range?.endIndex ?? 0
  useEffect(() => onRange({ first, last }), [first, last, onRange])
  useEffect(() => {
    if (hasMore && rows.length > 0 && last >= rows.length - AHEAD) onMore()
  }, [hasMore, last, rows.length, onMore])

  useRowWalk({
    list: body,
    count: rows.length,
    walks: () => true,
    reveal: (index) => virtualizer.scrollToIndex(index),
    copy: (index) => {
      const guid = rows[index]?.guid
      if (guid) void copyText(guid, words.copied)
    },
  })

  function open(event: MouseEvent): void {
    // Who marks text to copy it does not want the row.
    if (getSelection()?.isCollapsed === false) return
    const row = (event.target as Element).closest<HTMLElement>('[data-index]')
    const guid = row && rows[Number(row.dataset.index)]?.guid
    if (guid) onOpen(guid)
  }

  const template = columns.map(({ width }, n) =>
    n === columns.length - 1 ? `minmax(${width}px, 1fr)` : `${width}px`,
  )
  return (
    <table
      {...as.table}
      aria-label={words.table}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-busy={busy}
      className={`log-table ${wide ? 'as-table' : 'as-cards'}`}
      style={
        {
          '--columns': template.join(' '),
          '--first': `${columns[0]?.width}px`,
          '--height': `${height}px`,
        } as CSSProperties
      }
    >
      <thead {...as.rows}>
        <tr {...as.row} aria-rowindex={1}>
          {columns.map(({ key }) => (
            <th key={key} {...as.heading} data-column={key}>
              {words.columns[key]}
            </th>
          ))}
        </tr>
      </thead>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- the keyboard has the button in the first cell */}
      <tbody
        {...as.rows}
        onClick={open}
        ref={(element) => {
          body.current = element
          virtualizer.containerRef(element)
        }}
      >
        {items.map(({ key, index }) => {
          const row = rows[index]
          if (!row) return null
          return (
            <LogRow
              key={key}
              row={row}
              index={index}
              columns={columns}
              current={row.guid === current}
              measure={virtualizer.measureElement}
            />
          )
        })}
      </tbody>
      {children && (
        <tfoot {...as.rows}>
          <tr {...as.row}>
            <td {...as.cell} colSpan={columns.length}>
              {children}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}
