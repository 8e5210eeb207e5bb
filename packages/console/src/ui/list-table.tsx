import {
  memo,
  useCallback,
  useMemo,
  useState,
  type CSSProperties,
  type DOMAttributes,
  type MouseEvent,
  type ReactNode,
} from 'react'
import { useSearch } from '@tanstack/react-router'
import { text } from '#console/core/text.ts'
import { formatCount } from '#console/ui/numbers.ts'
import type { RowRange } from '#console/ui/row-range.ts'
import { cellLook, rowAttributes, RowTable, type RowPosition } from '#console/ui/row-table.tsx'
import type { RowSelection } from '#console/ui/selection.ts'
import { tableRoles } from '#console/ui/table-roles.ts'
import { useMedia } from '#console/ui/use-media.ts'

export type Column<Row> = {
  key: string
  label: string
  /** A grid track, such as `64px` or `minmax(110px, 1fr)`. */
  width: string
  /** A control in it names with `data-act` the entry of the table's `acts` that it runs. */
  cell: (row: Row, open: boolean) => ReactNode
  /** The cell's area in a card; without one, a card exposes it only to screen readers. */
  card?: string
  mono?: boolean
  /** `auto`: a person's text, whose first letter gives the direction. */
  dir?: 'auto'
  /** Sticks to the left edge. */
  frozen?: boolean
  /** The full text, if the cell may cut it. */
  whole?: (row: Row) => string | null | undefined
  sorts?: boolean
  /** Classes of its cells; `card:` and `tabular:` apply to one form of the table. */
  look?: string
  headLook?: string
}

export type Sort = { by: string; desc: boolean; onSort: (key: string) => void }

/** The actions of controls in a row, by `data-act`. */
export type RowActions<Row> = Record<string, (row: Row) => void>

/** Columns, words and looks must be the same objects on each render: a row is redrawn only if it changed. */
export type ListTableProps<Row extends object> = {
  /** The table's accessible name. */
  label: string
  /** Undefined until loaded. */
  rows: readonly Row[] | undefined
  keyOf: (row: Row) => string | number
  columns: readonly Column<Row>[]
  acts?: RowActions<Row>
  /** A row's data attributes, which `rowLook` can match. */
  dataOf?: (row: Row) => Record<`data-${string}`, string | undefined>
  look?: string
  /** The grid template of a card, with the areas of the columns. */
  cards?: string
  rowLook?: string
  /** A media query. If it does not match, each row is a card. */
  tabular: string
  /** In px. */
  rowHeight: { table: number; card: number }
  /** Table rows grow with their content. */
  grows?: boolean
  /** Cards follow each other as lines of one sheet. */
  lines?: boolean
  /** The number of placeholder rows while loading. */
  skeletons?: number
  hasMore?: boolean
  onMore?: () => void
  /** The rows are those of the previous filter, as the new one loads. */
  previous?: boolean | undefined
  range?: RowRange
  sort?: Sort
  /** The keys of rows that show their details below them. */
  open?: readonly string[]
  details?: (row: Row) => ReactNode
  isCurrent?: (row: Row) => boolean
  /** A press anywhere in the row. The keyboard needs a control in a cell too. */
  onRow?: (row: Row) => void
  onCopy: (row: Row) => void
  /** Lets the user select rows. While they do, a press anywhere in a row selects it. */
  selection?: RowSelection<Row> | undefined
  /** The keys `j` and `k` lead to this row. */
  onWalk?: ((row: Row) => void) | undefined
  on?: Pick<DOMAttributes<HTMLTableElement>, 'onPointerEnter' | 'onPointerLeave'>
  /** Shown in place of rows. */
  children?: ReactNode
}

/** A list in its own scroller, as a table or as cards. */
export function ListTable<Row extends object>({
  region,
  ...props
}: ListTableProps<Row> & {
  /** The scroller's accessible name. */
  region: string
}) {
  const isTable = useMedia(props.tabular)
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  return (
    // The sheet ends with its rows, but it may take the rest of the screen.
    <div className="flex min-h-[min(260px,70dvh)] min-w-0 flex-1 flex-col">
      <section
        ref={setScroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- allows scrolling by keyboard
        tabIndex={0}
        aria-label={region}
        className={`@container relative min-h-0 overflow-auto ${isTable ? 'panel' : ''}`}
      >
        <ScrolledList {...props} anchored scroller={scroller} />
      </section>
    </div>
  )
}

/** A list in an existing scroller of the class `@container`, which is null until it is mounted. */
export function ScrolledList<Row extends object>(
  props: ListTableProps<Row> & { scroller: HTMLElement | null; anchored?: boolean },
) {
  const { rows, keyOf, details, isCurrent, acts, onRow, sort, grows = false, selection } = props
  const selecting = selection !== undefined && selection.on
  const isTable = useMedia(props.tabular)
  const columns = useSame(props.columns)
  const open = useSame(props.open ?? NONE)
  // With 10,000 rows, this must not run for each opened row or key press.
  const entries = useMemo(
    () => (rows ?? []).flatMap((row) => entriesOf(row, keyOf(row), open)),
    [rows, keyOf, open],
  )
  // The virtualizer measures all rows again when this changes, which must not happen with each status.
  const keys = useSame(entries.map(({ key }) => key))

  const columnCount = columns.length + (selecting ? 1 : 0)
  const tracks = [...(selecting ? [SELECT_WIDTH] : []), ...columns.map(({ width }) => width)]

  function press(event: MouseEvent): void {
    const target = event.target as Element
    const { row, isDetails } =
      entries[Number(target.closest<HTMLElement>('[data-index]')?.dataset.index)] ?? {}
    const control = target.closest<HTMLElement>('[data-act]:not(:disabled)')
    const act = control?.dataset.act
    const isLink = control instanceof HTMLAnchorElement
    if (isLink) {
      // The user opens it in another tab.
      if (event.ctrlKey || event.metaKey || (event.shiftKey && !selecting)) return
      event.preventDefault()
    }
    if (row && (act === SELECT || (selecting && isLink))) selection?.press(row, event.shiftKey)
    else if (row && act) acts?.[act]?.(row)
    else if (row && selecting && !isDetails) {
      if (!target.closest('a, button, input, label')) selection?.press(row, event.shiftKey)
    }
    // Selecting text to copy it does not open the row.
    else if (row && getSelection()?.isCollapsed !== false) onRow?.(row)
  }

  return (
    <>
      <RowTable
        label={props.label}
        className={`${grows ? 'grows' : ''} ${selecting ? 'selecting' : ''} ${props.look ?? ''}`}
        isTable={isTable}
        rowHeight={isTable ? props.rowHeight.table : props.rowHeight.card}
        measured={!isTable || grows}
        apart={!props.lines}
        anchored={props.anchored}
        count={entries.length}
        keyOf={useCallback((index: number) => keys[index] ?? index, [keys])}
        row={(index, place) => {
          const entry = entries[index]
          if (!entry) return null
          const { key, row } = entry
          if (entry.isDetails) {
            return (
              <tr key={key} {...rowAttributes(place)} className="details">
                <td {...tableRoles.cell} colSpan={columnCount}>
                  {details?.(row)}
                </td>
              </tr>
            )
          }
          const shown = { row, columns, isTable, dataOf: props.dataOf, look: props.rowLook }
          return (
            <ListRow<Row>
              key={key}
              {...shown}
              open={open.includes(String(key))}
              current={isCurrent?.(row) ?? false}
              selected={selecting ? selection.keys.has(key) : undefined}
              name={selecting ? selection.nameOf(row) : undefined}
              Select={selecting ? selection.Cell : undefined}
              {...place}
            />
          )
        }}
        head={
          <>
            {selecting && <selection.Heading selection={selection} rows={rows ?? []} keyOf={keyOf} />}
            {columns.map((column) => (
              <Heading key={column.key} column={column} sort={sort} isTable={isTable} />
            ))}
          </>
        }
        columnCount={columnCount}
        style={{ '--columns': tracks.join(' '), '--card': props.cards } as CSSProperties}
        scroller={props.scroller}
        busy={rows === undefined}
        skeletons={props.skeletons ?? 10}
        hasMore={props.hasMore}
        onMore={props.onMore}
        range={props.range}
        walks={(index) => entries[index]?.isDetails === false}
        onCopy={(index) => {
          const row = entries[index]?.row
          if (row) props.onCopy(row)
        }}
        selecting={
          selection && {
            press: (index, range) => selection.press(entries[index]!.row, range),
            step: (from, to) => selection.step(entries[from]!.row, entries[to]!.row),
            all: selection.pressAll,
          }
        }
        onWalk={(index) => {
          const row = entries[index]?.row
          if (row) props.onWalk?.(row)
        }}
        on={{ ...props.on, onClick: press }}
      >
        {props.children}
      </RowTable>
      <FoundCount count={props.previous ? undefined : rows?.length} more={props.hasMore ?? false} />
    </>
  )
}

/** Tells screen readers how many rows there are, once loaded and after each change of the address, such as a filter. */
function FoundCount({ count, more }: { count: number | undefined; more: boolean }) {
  // Not that of the location, which changes before the screen.
  const asked = useSearch({ strict: false })
  const [told, setTold] = useState({ asked: {}, said: '' })
  if (count !== undefined && told.asked !== asked)
    setTold({ asked, said: text.rowsFound(`${formatCount(count)}${more ? '+' : ''}`) })
  return <output className="sr-only">{told.said}</output>
}

function Heading<Row>({
  column: { key, label, frozen, sorts, headLook },
  sort,
  isTable,
}: {
  column: Column<Row>
  sort: Sort | undefined
  isTable: boolean
}) {
  const by = isTable && sorts ? sort : undefined
  return (
    <th
      {...tableRoles.heading}
      aria-sort={by?.by === key ? (by.desc ? 'descending' : 'ascending') : undefined}
      data-column={key}
      className={cellLook({ frozen }, headLook)}
    >
      {by ? (
        <button type="button" className="sort" onClick={() => by.onSort(key)}>
          {label}
        </button>
      ) : (
        label
      )}
    </th>
  )
}

type RowProps<Row> = RowPosition & {
  row: Row
  columns: readonly Column<Row>[]
  dataOf: ListTableProps<Row & object>['dataOf']
  look: string | undefined
  open: boolean
  current: boolean
  /** Undefined while rows are not being selected. */
  selected: boolean | undefined
  name: string | undefined
  Select: RowSelection<Row>['Cell'] | undefined
  isTable: boolean
}

/** Redrawn only if the row is a new object, since 500 rows may change in a second. */
const ListRow = memo(function ListRow<Row extends object>({
  row,
  columns,
  dataOf,
  look,
  open,
  current,
  selected,
  name,
  Select,
  isTable,
  ...place
}: RowProps<Row>) {
  return (
    <tr
      {...rowAttributes(place)}
      {...dataOf?.(row)}
      aria-current={current || undefined}
      data-selected={selected || undefined}
      className={look}
    >
      {Select && <Select act={SELECT} name={name ?? ''} selected={selected ?? false} />}
      {columns.map(({ key, label, cell, card, mono, dir, frozen, whole, look: looks }) => (
        <td
          key={key}
          {...tableRoles.cell}
          data-column={key}
          data-label={label}
          data-hidden={(!isTable && card === undefined) || undefined}
          style={isTable ? undefined : { gridArea: card }}
          className={cellLook({ mono, frozen }, looks)}
          dir={dir}
          title={whole?.(row) ?? undefined}
        >
          {cell(row, open)}
        </td>
      ))}
    </tr>
  )
}) as <Row extends object>(props: RowProps<Row>) => ReactNode

/** The action of a row's checkbox. */
const SELECT = 'select'
const SELECT_WIDTH = '44px'
const NONE: readonly string[] = []

type Entry<Row> = { key: string | number; row: Row; isDetails: boolean }

function entriesOf<Row>(row: Row, key: string | number, open: readonly string[]): Entry<Row>[] {
  const entry = { key, row, isDetails: false }
  return open.includes(String(key)) ? [entry, { key: `${key} details`, row, isDetails: true }] : [entry]
}

/** Returns the previous array if the elements are equal, so that dependents do not change either. */
function useSame<Element>(next: readonly Element[]): readonly Element[] {
  const [kept, setKept] = useState(next)
  const same = kept.length === next.length && kept.every((element, n) => element === next[n])
  if (!same) setKept(next)
  return same ? kept : next
}
