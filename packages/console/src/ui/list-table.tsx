import { memo, useCallback, useMemo, useState, type CSSProperties, type ReactNode } from 'react'
import type { RowRange } from '#console/ui/row-range.ts'
import { cellLook, placed, RowTable, type Place } from '#console/ui/row-table.tsx'
import { as } from '#console/ui/table-roles.ts'
import { useMedia } from '#console/ui/use-media.ts'

export type Column<Row> = {
  key: string
  label: string
  /** A grid track, such as `64px` or `minmax(110px, 1fr)`. */
  width: string
  cell: (row: Row) => ReactNode
  /** The cell's area in a card; without one a card tells it to screen readers alone. */
  card?: string
  mono?: boolean
  /** Stays at the left edge. */
  frozen?: boolean
  /** The whole of a text that may be cut. */
  whole?: (row: Row) => string | null | undefined
}

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
  hasMore?: boolean
  onMore?: () => void
  range?: RowRange
  onCopy: (row: Row) => void
  /** Shown in place of rows. */
  children?: ReactNode
}

/** A list in a scroller of its own, as a table or as cards. */
export function ListTable<Row extends object>(props: Props<Row>) {
  const { label, region, rows, keyOf, columns, className, stateOf, rowHeight, onCopy, ...rest } = props
  const isTable = useMedia(props.tabular)
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const tracks = useMemo(() => columns.map(({ width }) => width).join(' '), [columns])
  return (
    <section
      ref={setScroller}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled by keyboard
      tabIndex={0}
      aria-label={region}
      className={`relative min-h-[min(260px,70dvh)] min-w-0 flex-1 overflow-auto ${isTable ? 'panel' : ''}`}
    >
      <RowTable
        {...rest}
        label={label}
        className={`list-table ${className}`}
        isTable={isTable}
        rowHeight={isTable ? rowHeight.table : rowHeight.card}
        measured={!isTable}
        apart
        anchored
        count={rows?.length ?? 0}
        keyOf={useCallback(
          (index: number) => {
            const row = rows?.[index]
            return row ? keyOf(row) : index
          },
          [rows, keyOf],
        )}
        row={(index, place) => {
          const row = rows?.[index]
          if (!row) return null
          const shown = { row, columns, isTable, state: stateOf(row) }
          return <ListRow<Row> key={keyOf(row)} {...shown} {...place} />
        }}
        head={columns.map((column) => (
          <th
            key={column.key}
            {...as.heading}
            data-column={column.key}
            className={cellLook({ frozen: column.frozen })}
          >
            {column.label}
          </th>
        ))}
        columnCount={columns.length}
        style={{ '--columns': tracks } as CSSProperties}
        scroller={scroller}
        busy={rows === undefined}
        skeletons={10}
        onCopy={(index) => {
          const row = rows?.[index]
          if (row) onCopy(row)
        }}
      />
    </section>
  )
}

type RowProps<Row> = Place & {
  row: Row
  columns: readonly Column<Row>[]
  state: string | undefined
  isTable: boolean
}

/** Plain cells, drawn again only when the row's object is another one. */
const ListRow = memo(function ListRow<Row>({ row, columns, state, isTable, ...place }: RowProps<Row>) {
  return (
    <tr {...placed(place)} data-state={state}>
      {columns.map(({ key, label, cell, card, mono, frozen, whole }) => (
        <td
          key={key}
          {...as.cell}
          data-column={key}
          data-label={label}
          data-hidden={(!isTable && card === undefined) || undefined}
          style={isTable ? undefined : { gridArea: card }}
          className={cellLook({ mono, frozen })}
          title={whole?.(row) ?? undefined}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: RowProps<Row>) => ReactNode
