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
import { as } from '#console/ui/table-roles.ts'
import { useFrozenColumns } from '#console/ui/use-frozen-columns.ts'
import { useOffset } from '#console/ui/use-offset.ts'
import { useRowWalk } from '#console/ui/use-row-walk.ts'
import '#console/ui/row-table.css'

/** Rows before the end at which more are asked for. */
const AHEAD = 60
/** The height of a table's head, and how far from an edge a row that is walked to stays, in px. */
const HEAD = 36
const CLEAR = 8
/** Between cards, in px. */
const GAP = 8

/** Where a row stands; its `tr` carries what `placed` makes of it. */
export type Place = {
  index: number
  /** In px, where all rows have one height. */
  top: number | undefined
  /** Where they have not. */
  measure: ((row: HTMLTableRowElement | null) => void) | undefined
}

type Props = {
  /** Names the table. */
  label: string
  className: string
  /** Else each row is a card. */
  isTable: boolean
  /** How high a row is, or about how high where they are measured, in px. */
  rowHeight: number
  /** Rows are as high as what is in them: each is measured. */
  measured: boolean
  /** Cards stand apart. */
  apart?: boolean
  count: number
  /** What stays the same when a row moves. The same function until rows come, go or move: else it costs all rows a frame. */
  keyOf: (index: number) => string | number
  /** Memoised, with `place` spread: a scroll draws new rows alone. */
  row: (index: number, place: Place) => ReactNode
  /** The `th`s. */
  head: ReactNode
  columnCount: number
  style?: CSSProperties
  /** What scrolls the table; null until it is there. */
  scroller: HTMLElement | null
  busy: boolean
  /** How many rows' room is kept while busy. */
  skeletons: number
  /** There are more rows than are here. */
  hasMore?: boolean
  onMore?: () => void
  /** Hears which rows are on screen. */
  range?: RowRange
  /** Rows that come or go above what is being read do not move it. */
  anchored?: boolean
  walks?: (index: number) => boolean
  onCopy: (index: number) => void
  on?: Pick<DOMAttributes<HTMLTableElement>, 'onClick' | 'onPointerEnter' | 'onPointerLeave'>
  /** Shown in place of rows. */
  children?: ReactNode
}

/** A table of any length: real roles, few rows mounted, `j`, `k`, Enter and `c`. */
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
  const { walks = () => true, onMore, onCopy } = props
  const table = useRef<HTMLTableElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- no React compiler here
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count,
    getScrollElement: () => scroller,
    // Another function has all rows measured anew.
    estimateSize: useCallback(() => rowHeight, [rowHeight]),
    getItemKey: keyOf,
    gap: props.apart && !isTable ? GAP : 0,
    overscan: 8,
    // The head covers as much of the rows as it moves them down: seen from the top, they begin where the table does.
    scrollMargin: useOffset(table, scroller),
    scrollPaddingStart: CLEAR,
    scrollPaddingEnd: CLEAR + (isTable ? HEAD : 0),
    // 'end' keeps the row being read in its place. At the top, what is new is what one wants to see.
    anchorTo: props.anchored && (scroller?.scrollTop ?? 0) > rowHeight ? 'end' : 'start',
    directDomUpdates: true,
    // By `top`: a transform would make each row a layer of its own.
    directDomUpdatesMode: 'position',
  })
  // Rows that are not mounted have the new height too.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  // Before the range: it is worked out with them.
  const items = virtualizer.getVirtualItems()
  const first = virtualizer.range?.startIndex ?? 0
  const last = virtualizer.range?.endIndex ?? 0
  useEffect(() => range?.set({ first, last }), [first, last, range])
  useEffect(() => {
    if (hasMore && count > 0 && last >= count - AHEAD) onMore?.()
  }, [hasMore, last, count, onMore])
  useFrozenColumns(table, scroller)
  useRowWalk({ list: body, count, walks, reveal: (index) => virtualizer.scrollToIndex(index), copy: onCopy })

  return (
    <table
      {...as.table}
      {...props.on}
      ref={table}
      aria-label={props.label}
      aria-rowcount={hasMore ? -1 : count + 1}
      aria-busy={props.busy}
      className={`row-table ${isTable ? 'as-table' : props.apart ? 'as-cards' : 'as-cards as-lines'} ${props.className}`}
      style={{ '--height': `${rowHeight}px`, ...props.style } as CSSProperties}
    >
      <thead {...as.rows}>
        <tr {...as.row} aria-rowindex={1}>
          {props.head}
        </tr>
      </thead>
      <tbody
        {...as.rows}
        // Rows that were measured and rows that are not have nothing to do with each other.
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
      {props.busy && <SkeletonRows rows={props.skeletons} columns={props.columnCount} />}
      {children && (
        <tfoot {...as.rows}>
          <tr {...as.row}>
            <td {...as.cell} colSpan={props.columnCount}>
              {children}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}

/** The classes of a cell. */
export function cellLook(
  { mono, frozen }: { mono?: boolean; frozen?: boolean },
  look: string | undefined,
): string | undefined {
  return [mono && 'mono', frozen && 'frozen', look].filter(Boolean).join(' ') || undefined
}

/** To be spread over the `tr` of a row. */
export function placed({ index, top, measure }: Place) {
  return {
    ...as.row,
    ref: measure,
    'data-index': index,
    'aria-rowindex': index + 2,
    style: top === undefined ? undefined : { top },
  }
}
