import { useMemo, useState } from 'react'
import { useLanguage } from '#console/core/language.ts'
import type { Device } from './devices.ts'
import type { SortKey } from './search.ts'
import { inSameOrder, visibleDevices, type FleetView } from './view.ts'

/** Orders that a live change may alter. */
const MOVING: readonly SortKey[] = ['status', 'enabled', 'last_seen_at', 'signal', 'sent_today', 'problems']

/**
 * The devices to show, in order. While the pointer is over them (`hold`), rows keep their place even if their status no
 * longer fits the filter or order. Nothing moves while the user aims.
 */
export function useFleetView(
  devices: readonly Device[] | undefined,
  { search, show, carrier, tag, agent, sort, desc }: FleetView,
) {
  const inLanguage = useLanguage() !== undefined
  // Sorting 10,000 devices is too slow for every unrelated render.
  const shown = useMemo(
    () => visibleDevices(devices ?? [], { search, show, carrier, tag, agent, sort, desc }, inLanguage),
    [devices, search, show, carrier, tag, agent, sort, desc, inLanguage],
  )
  const view = [search, show, carrier, tag, agent, sort, desc].join()
  const [held, setHeld] = useState<{ view: string; rows: Device[] }>()
  const moves = show !== 'all' || MOVING.includes(sort)
  const stale = held !== undefined && held.view !== view
  if (stale) setHeld({ view, rows: shown })
  const kept = held && !stale && moves ? held.rows : undefined
  const rows = useMemo(() => (kept ? inSameOrder(kept, devices ?? []) : shown), [kept, devices, shown])
  return {
    rows,
    hold: { onPointerEnter: () => setHeld({ view, rows }), onPointerLeave: () => setHeld(undefined) },
  }
}
