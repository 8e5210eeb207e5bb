import { useCallback, useMemo, useState, type ReactNode } from 'react'
import { devices as words } from './text.ts'
import { DeviceRow } from './device-row.tsx'
import type { Device } from './devices.ts'
import { NetworkPanel, type RecentMessages } from './network-panel.tsx'
import { sortKeys, type SortKey } from './search.ts'
import { useEnabled } from './use-enabled.ts'
import { heldInPlace, visibleDevices, type FleetView } from './view.ts'
import { copyText } from '#console/ui/copy.ts'
import type { Density } from '#console/ui/density.tsx'
import { placed, RowTable, type Place } from '#console/ui/row-table.tsx'
import { as } from '#console/ui/table-roles.ts'
import { useMedia } from '#console/ui/use-media.ts'
import './devices.css'

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
  RecentMessages: RecentMessages
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
  RecentMessages,
  children,
}: Props) {
  const tabular = useMedia(TABULAR)
  const setEnabled = useEnabled()
  const { rows, ...hold } = useVisible(devices ?? [], view)
  const entries = useMemo(
    () =>
      rows.flatMap((device) => {
        const row = { key: device.uid, device, details: false }
        return open.has(device.uid) ? [row, { key: `${device.uid} details`, device, details: true }] : [row]
      }),
    [rows, open],
  )
  const keys = useSame(entries.map(({ key }) => key))

  return (
    <RowTable
      label={words.title}
      className="device-table"
      isTable={tabular}
      rowHeight={tabular ? HEIGHTS[density] : CARD_HEIGHT}
      measured
      apart
      count={entries.length}
      keyOf={useCallback((index: number) => keys[index] ?? index, [keys])}
      row={(index, place) => {
        const entry = entries[index]
        if (!entry) return null
        if (entry.details) {
          return (
            <DetailsRow key={entry.key} device={entry.device} RecentMessages={RecentMessages} {...place} />
          )
        }
        return (
          <DeviceRow
            key={entry.key}
            device={entry.device}
            open={open.has(entry.device.uid)}
            manages={manages}
            onToggle={onToggle}
            onSend={onSend}
            onEnabled={setEnabled}
            {...place}
          />
        )
      }}
      head={
        <>
          {sortKeys.map((key) => (
            <Heading key={key} column={key} view={view} onSort={tabular ? onSort : undefined} />
          ))}
          <th {...as.heading}>{words.columns.actions}</th>
        </>
      }
      columnCount={COLUMNS}
      scroller={scroller}
      busy={devices === undefined}
      skeletons={8}
      walks={(index) => entries[index]?.details === false}
      onCopy={(index) => {
        const uid = entries[index]?.device.uid
        if (uid) void copyText(uid, words.copied(uid))
      }}
      on={hold}
    >
      {devices && entries.length === 0 && (
        <>
          <p>{words.empty}</p>
          {children && <div className="mt-3">{children}</div>}
        </>
      )}
    </RowTable>
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
  RecentMessages,
  ...place
}: Place & { device: Device; RecentMessages: RecentMessages }) {
  return (
    <tr {...placed(place)} className="details">
      <td {...as.cell} colSpan={COLUMNS}>
        <NetworkPanel device={device} RecentMessages={RecentMessages} />
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
