import { useVirtualizer } from '@tanstack/react-virtual'
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  type CSSProperties,
  type DOMAttributes,
  type ReactNode,
} from 'react'
import type { RowRange } from '#console/ui/row-range.ts'
import { SkeletonRows } from '#console/ui/skeleton.tsx'
import { tableRoles } from '#console/ui/table-roles.ts'
import { useUnfreezeWhileScrolling } from '#console/ui/use-unfreeze-while-scrolling.ts'
import { useOffset } from '#console/ui/use-offset.ts'
import { useRowWalk, type RowKeys } from '#console/ui/use-row-walk.ts'
import '#console/ui/row-table.css'

/** Load more this many rows before the end. */
const AHEAD = 60
/** The height of a table's header, and the distance of a focused row from the edges, in px. */
const HEAD = 36
const CLEAR = 8
/** Space between cards, in px. */
const GAP = 8

/** The position of a row. Spread `rowAttributes(place)` over its `tr`. */
export type RowPosition = {
  index: number
  /** In px, if all rows have the same height. */
  top: number | undefined
  /** Set if rows are measured. */
  measure: ((row: HTMLTableRowElement | null) => void) | undefined
}

type Props = {
  /** The table's accessible name. */
  label: string
  className: string
  /** Otherwise each row is a card. */
  isTable: boolean
  /** The height of a row in px; an estimate if rows are measured. */
  rowHeight: number
  /** Rows grow with their content, so each is measured. */
  measured: boolean
  /** Cards have space between them. */
  apart?: boolean
  count: number
  /**
   * A stable key per row. Must be the same function until rows are added, removed or moved; a new one costs all rows a
   * frame.
   */
  keyOf: (index: number) => string | number
  /** Memoised, with `place` spread, so that a scroll draws only new rows. */
  row: (index: number, place: RowPosition) => ReactNode
  /** The `th`s. */
  head: ReactNode
  columnCount: number
  style?: CSSProperties
  /** The table's scroller, a container of the class `@container`; null until it is mounted. */
  scroller: HTMLElement | null
  busy: boolean
  /** The number of placeholder rows while busy. */
  skeletons: number
  /** More rows can be loaded. */
  hasMore?: boolean
  onMore?: () => void
  /** Receives the range of rows on screen. */
  range?: RowRange
  /** Rows added or removed above do not move the rows being read. */
  anchored?: boolean
  walks?: (index: number) => boolean
  onCopy: (index: number) => void
  selecting?: RowKeys['selecting']
  onWalk?: ((index: number) => void) | undefined
  on?: Pick<DOMAttributes<HTMLTableElement>, 'onClick' | 'onPointerEnter' | 'onPointerLeave'>
  /** Shown in place of rows, or over the placeholders. */
  children?: ReactNode
}

/** A table of any length, with real roles, few mounted rows, and the keys of `useRowWalk`. */
export function RowTable(props: Props) {
  const {
    isTable,
    rowHeight,
    measured,
    count,
    keyOf,
    row,
    scroller,
    hasMore = false,
    range,
    children,
  } = props
  const { walks = () => true, onMore, onCopy, selecting, onWalk } = props
  const table = useRef<HTMLTableElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- no React compiler here
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    getScrollElement: () => scroller,
    // A new function makes the virtualizer measure all rows again.
    estimateSize: useCallback(() => rowHeight, [rowHeight]),
    getItemKey: keyOf,
    gap: props.apart && !isTable ? GAP : 0,
    overscan: 8,
    // The header covers as much of the rows as it pushes them down, so the rows start at the table's top.
    scrollMargin: useOffset(table, scroller),
    scrollPaddingStart: CLEAR,
    scrollPaddingEnd: CLEAR + (isTable ? HEAD : 0),
    // 'end' keeps the row being read in place. At the top, the user wants to see new rows.
    anchorTo: props.anchored && (scroller?.scrollTop ?? 0) > rowHeight ? 'end' : 'start',
    directDomUpdates: true,
    // By `top`, since a transform would make each row its own layer.
    directDomUpdatesMode: 'position',
  })
  // Apply the new height to unmounted rows too.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  // Call before reading the range, which this computes.
  const items = virtualizer.getVirtualItems()
  const first = virtualizer.range?.startIndex ?? 0
  const last = virtualizer.range?.endIndex ?? 0
  useEffect(() => range?.set({ first, last }), [first, last, range])
  useEffect(() => {
    if (hasMore && count > 0 && last >= count - AHEAD) onMore?.()
  }, [hasMore, last, count, onMore])
  useUnfreezeWhileScrolling(table, scroller)
  useRowWalk({
    list: body,
    count,
    walks,
    reveal: (index) => virtualizer.scrollToIndex(index),
    copy: onCopy,
    selecting,
    onWalk,
  })

  return (
    <table
      {...tableRoles.table}
      {...props.on}
      ref={table}
      aria-label={props.label}
      aria-rowcount={hasMore ? -1 : count + 1}
      aria-busy={props.busy}
      className={`row-table ${isTable ? 'as-table' : props.apart ? 'as-cards' : 'as-cards as-lines'} ${props.className}`}
      style={{ '--height': `${rowHeight}px`, ...props.style } as CSSProperties}
    >
      <thead {...tableRoles.rows}>
        <tr {...tableRoles.row} aria-rowindex={1}>
          {props.head}
        </tr>
      </thead>
      <tbody
        {...tableRoles.rows}
        // Remount when measuring is switched on or off, since sizes do not carry over.
        key={String(measured)}
        ref={(element) => {
          body.current = element
          virtualizer.containerRef(element)
        }}
      >
        {items.map(({ index, start }) =>
          row(index, {
            index,
            top: measured ? undefined : start - virtualizer.options.scrollMargin,
            measure: measured ? virtualizer.measureElement : undefined,
          }),
        )}
      </tbody>
      {children && (
        <tfoot {...tableRoles.rows}>
          <tr {...tableRoles.row}>
            <td {...tableRoles.cell} colSpan={props.columnCount}>
              {children}
            </td>
          </tr>
        </tfoot>
      )}
      {props.busy && <SkeletonRows rows={props.skeletons} columns={props.columnCount} />}
    </table>
  )
}

export function cellLook(
  { mono, frozen }: { mono?: boolean; frozen?: boolean },
  look: string | undefined,
): string | undefined {
  return [mono && 'mono', frozen && 'frozen', look].filter(Boolean).join(' ') || undefined
}

/** Attributes to spread over a row's `tr`. */
export function rowAttributes({ index, top, measure }: RowPosition) {
  return {
    ...tableRoles.row,
    ref: measure,
    'data-index': index,
    'aria-rowindex': index + 2,
    style: top === undefined ? undefined : { top },
  }
}
