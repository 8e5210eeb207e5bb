import { useVirtualizer } from '@tanstack/react-virtual'
import {
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
  type RefObject,
} from 'react'
import { text } from '#console/core/text.ts'
import { DeviceRow } from '#console/devices/device-row.tsx'
import type { Device } from '#console/devices/devices.ts'
import { NetworkPanel } from '#console/devices/network-panel.tsx'
import { sortKeys, type SortKey } from '#console/devices/search.ts'
import { useEnabled } from '#console/devices/use-enabled.ts'
import { heldInPlace, visibleDevices, type FleetView } from '#console/devices/view.ts'
import { copyText } from '#console/ui/copy.ts'
import type { Density } from '#console/ui/density.tsx'
import { SkeletonRows } from '#console/ui/skeleton.tsx'
import { useMedia } from '#console/ui/use-media.ts'
import { useRowWalk } from '#console/ui/use-row-walk.ts'
import '#console/devices/devices.css'
import { as } from '#console/ui/table-roles.ts'

const words = text.devices
const COLUMNS = sortKeys.length + 1

/** Narrower than this, each device is a card. */
const TABULAR = '(min-width: 1000px)'

/** Of a row, in px. */
const HEIGHTS = { comfortable: 48, compact: 37 } as const
const CARD_HEIGHT = 150

type Props = {
  /** Undefined while they load. */
  devices: Device[] | undefined
  view: FleetView
  density: Density
  open: ReadonlySet<string>
  /** Whether the user may enable and disable. */
  manages: boolean
  /** What scrolls the list; null until it is there. */
  scroller: HTMLDivElement | null
  onSort: (key: SortKey) => void
  onToggle: (uid: string) => void
  onSend: (uid: string) => void
  /** Under the words that say that there is none. */
  children: ReactNode
}

export function DeviceTable({
  devices,
  view,
  density,
  open,
  manages,
  scroller,
  onSort,
  onToggle,
  onSend,
  children,
}: Props) {
  const tabular = useMedia(TABULAR)
  const height = tabular ? HEIGHTS[density] : CARD_HEIGHT
  const body = useRef<HTMLTableSectionElement>(null)
  const setEnabled = useEnabled()
  const { rows, onPointerEnter, onPointerLeave } = useVisible(devices ?? [], view)
  const entries = useMemo(
    () =>
      rows.flatMap((device) => {
        const row = { key: device.uid, device, details: false }
        return open.has(device.uid) ? [row, { key: `${device.uid} details`, device, details: true }] : [row]
      }),
    [rows, open],
  )
  const keys = useSame(entries.map(({ key }) => key))
  // oxlint-disable-next-line react/incompatible-library -- no React compiler here
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: entries.length,
    getScrollElement: () => scroller,
    estimateSize: useCallback(() => height, [height]),
    getItemKey: useCallback((index: number) => keys[index] ?? index, [keys]),
    gap: tabular ? 0 : 8,
    overscan: 6,
    scrollMargin: useOffset(body, scroller),
    scrollPaddingStart: 44,
    directDomUpdates: true,
  })
  // Rows that are not mounted have the new height too.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, height])
  useRowWalk({
    list: body,
    count: entries.length,
    walks: (index) => entries[index]?.details === false,
    reveal: (index) => virtualizer.scrollToIndex(index),
    copy: (index) => {
      const uid = entries[index]?.device.uid
      if (uid) void copyText(uid, words.copied(uid))
    },
  })

  return (
    <table
      {...as.table}
      aria-label={words.title}
      aria-rowcount={entries.length + 1}
      aria-busy={devices === undefined}
      className={`device-table ${tabular ? 'as-table' : 'as-cards'}`}
      style={{ '--height': `${height}px` } as CSSProperties}
      onPointerEnter={onPointerEnter}
      onPointerLeave={onPointerLeave}
    >
      <thead {...as.rows}>
        <tr {...as.row} aria-rowindex={1}>
          {sortKeys.map((key) => (
            <Heading key={key} column={key} view={view} onSort={tabular ? onSort : undefined} />
          ))}
          <th {...as.heading}>{words.columns.actions}</th>
        </tr>
      </thead>
      <tbody
        {...as.rows}
        ref={(element) => {
          body.current = element
          virtualizer.containerRef(element)
        }}
      >
        {virtualizer.getVirtualItems().map(({ key, index }) => {
          const entry = entries[index]
          if (!entry) return null
          const place = { index, measure: virtualizer.measureElement }
          if (entry.details) return <DetailsRow key={key} device={entry.device} {...place} />
          return (
            <DeviceRow
              key={key}
              device={entry.device}
              open={open.has(entry.device.uid)}
              manages={manages}
              onToggle={onToggle}
              onSend={onSend}
              onEnabled={setEnabled}
              {...place}
            />
          )
        })}
      </tbody>
      {devices === undefined && <SkeletonRows rows={8} columns={COLUMNS} />}
      {devices && entries.length === 0 && (
        <tfoot {...as.rows}>
          <tr {...as.row}>
            <td {...as.cell} colSpan={COLUMNS} className="px-4 py-10 text-center text-muted">
              <p>{words.empty}</p>
              {children && <div className="mt-3">{children}</div>}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}

function Heading({
  column,
  view,
  onSort,
}: {
  column: SortKey
  view: FleetView
  onSort: ((key: SortKey) => void) | undefined
}) {
  const sorted = view.sort === column
  const label = words.columns[column]
  return (
    <th {...as.heading} aria-sort={sorted && onSort ? (view.desc ? 'descending' : 'ascending') : undefined}>
      {onSort ? (
        <button type="button" className="sort" onClick={() => onSort(column)}>
          {label}
        </button>
      ) : (
        label
      )}
    </th>
  )
}

function DetailsRow({
  device,
  index,
  measure,
}: {
  device: Device
  index: number
  measure: (element: HTMLTableRowElement | null) => void
}) {
  return (
    <tr {...as.row} ref={measure} data-index={index} aria-rowindex={index + 2} className="details">
      <td {...as.cell} colSpan={COLUMNS}>
        <NetworkPanel device={device} />
      </td>
    </tr>
  )
}

/**
 * The rows to show. While the pointer is over them, a row whose status no longer fits the filter or the order stays
 * where it is: nothing moves under a finger.
 */
function useVisible(devices: Device[], view: FleetView) {
  const shown = useMemo(() => visibleDevices(devices, view), [devices, view])
  const [held, setHeld] = useState<{ view: FleetView; rows: Device[] }>()
  const moves = view.show !== 'all' || view.sort === 'status' || view.sort === 'enabled'
  const stale = held !== undefined && held.view !== view
  if (stale) setHeld({ view, rows: shown })
  const holds = held !== undefined && !stale && moves
  const rows = useMemo(() => (holds ? heldInPlace(held.rows, devices) : shown), [holds, held, devices, shown])
  return {
    rows,
    onPointerEnter: () => setHeld({ view, rows }),
    onPointerLeave: () => setHeld(undefined),
  }
}

/** The array of before where the new one has the same elements, so that what hangs on it stays too. */
function useSame(next: string[]): string[] {
  const [kept, setKept] = useState(next)
  const same = kept.length === next.length && kept.every((key, n) => key === next[n])
  if (!same) setKept(next)
  return same ? kept : next
}

/** Where the list begins in what scrolls; what stands above it may change its height. */
function useOffset(list: RefObject<HTMLElement | null>, scroller: HTMLElement | null): number {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const above = scroller?.firstElementChild
    if (!scroller || !above) return
    const observer = new ResizeObserver(() => {
      if (!list.current) return
      const top = list.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top
      setOffset(Math.round(top + scroller.scrollTop))
    })
    observer.observe(above)
    return () => observer.disconnect()
  }, [list, scroller])
  return offset
}
