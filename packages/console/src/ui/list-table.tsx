import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useEffect, useRef, useState, type CSSProperties, type ReactNode } from 'react'
import { SkeletonRows } from '#console/ui/skeleton.tsx'
import { as } from '#console/ui/table-roles.ts'
import { useMedia } from '#console/ui/use-media.ts'
import { useRowWalk } from '#console/ui/use-row-walk.ts'
import '#console/ui/list-table.css'

export type Column<Row> = {
  key: string
  label: string
  /** A grid track, such as `64px` or `minmax(110px, 1fr)`. */
  width: string
  cell: (row: Row) => ReactNode
  /** The cell's area in a card; without one a card tells it to screen readers alone. */
  card?: string
  mono?: boolean
  /** The whole of a text that may be cut. */
  whole?: (row: Row) => string | null | undefined
}

export type Range = { first: number; last: number }

type Props<Row extends object> = {
  /** Names the table. */
  label: string
  /** Names what scrolls. */
  region: string
  /** Undefined while they load. */
  rows: readonly Row[] | undefined
  /** With `columns`, the same object from render to render: rows are drawn again only when what they show differs. */
  keyOf: (row: Row) => string
  columns: readonly Column<Row>[]
  /** Where `className` draws its cards, and the row's `data-state`. */
  className: string
  stateOf: (row: Row) => string | undefined
  /** Narrower than this, each row is a card. */
  tabular: string
  /** In px. */
  rowHeight: { table: number; card: number }
  /** More rows than are here are to come. */
  hasMore?: boolean
  onCopy: (row: Row) => void
  onRange?: (range: Range) => void
  /** Shown in place of rows. */
  children?: ReactNode
}

/**
 * A table of any length in a scroller of its own: real roles, few rows mounted, `j`, `k`, Enter and `c`. Rows that come
 * or go above what is being read do not move it.
 */
export function ListTable<Row extends object>(props: Props<Row>) {
  const { label, region, rows, keyOf, columns, className, stateOf, rowHeight, hasMore, children } = props
  const { onCopy, onRange } = props
  const isTable = useMedia(props.tabular)
  const height = isTable ? rowHeight.table : rowHeight.card
  const count = rows?.length ?? 0
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- no React compiler here
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    getScrollElement: () => scroller,
    estimateSize: useCallback(() => height, [height]),
    getItemKey: useCallback(
      (index: number) => {
        const row = rows?.[index]
        return row ? keyOf(row) : index
      },
      [rows, keyOf],
    ),
    gap: isTable ? 0 : 8,
    overscan: 8,
    scrollPaddingStart: 40,
    directDomUpdates: true,
    // 'end' keeps the row being read in its place. At the top, what is new is what one wants to see.
    anchorTo: (scroller?.scrollTop ?? 0) > height ? 'end' : 'start',
  })
  // Before the range: it is worked out with them.
  const items = virtualizer.getVirtualItems()
  const first = virtualizer.range?.startIndex ?? 0
  const last = virtualizer.range?.endIndex ?? 0
  useEffect(() => onRange?.({ first, last }), [first, last, onRange])
  useRowWalk({
    list: body,
    count,
    walks: () => true,
    reveal: (index) => virtualizer.scrollToIndex(index),
    copy: (index) => {
      const row = rows?.[index]
      if (row) onCopy(row)
    },
  })

  return (
    <section
      ref={setScroller}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled by keyboard
      tabIndex={0}
      aria-label={region}
      className={`list-scroller ${isTable ? 'panel' : ''}`}
    >
      <table
        {...as.table}
        aria-label={label}
        aria-rowcount={hasMore ? -1 : count + 1}
        aria-busy={rows === undefined}
        className={`list-table ${className} ${isTable ? 'as-table' : 'as-cards'}`}
        style={
          {
            '--columns': columns.map(({ width }) => width).join(' '),
            '--height': `${height}px`,
          } as CSSProperties
        }
      >
        <thead {...as.rows}>
          <tr {...as.row} aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.key} {...as.heading} data-column={column.key}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody
          {...as.rows}
          ref={(element) => {
            body.current = element
            virtualizer.containerRef(element)
          }}
        >
          {items.map(({ key, index }) => {
            const row = rows?.[index]
            if (!row) return null
            const state = stateOf(row)
            const place = { index, isTable, measure: virtualizer.measureElement }
            return <ListRow<Row> key={key} row={row} columns={columns} state={state} {...place} />
          })}
        </tbody>
        {rows === undefined && <SkeletonRows rows={10} columns={columns.length} />}
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
    </section>
  )
}

type RowProps<Row> = {
  row: Row
  index: number
  columns: readonly Column<Row>[]
  state: string | undefined
  isTable: boolean
  measure: (element: HTMLTableRowElement | null) => void
}

/** Plain cells, drawn again only when the row's object is another one. */
const ListRow = memo(function ListRow<Row>({ row, index, columns, state, isTable, measure }: RowProps<Row>) {
  return (
    <tr {...as.row} ref={measure} data-index={index} aria-rowindex={index + 2} data-state={state}>
      {columns.map(({ key, label, cell, card, mono, whole }) => (
        <td
          key={key}
          {...as.cell}
          data-column={key}
          data-label={label}
          data-hidden={(!isTable && card === undefined) || undefined}
          style={isTable ? undefined : { gridArea: card }}
          className={mono ? 'mono' : undefined}
          title={whole?.(row) ?? undefined}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: RowProps<Row>) => ReactNode
