import { useMemo, useState } from 'react'
import type { Device } from './devices.ts'
import { inSameOrder, visibleDevices, type FleetView } from './view.ts'

/**
 * The devices to show, in order. While the pointer is over them (`hold`), rows keep their place even if their status no
 * longer fits the filter or order. Nothing moves while the user aims.
 */
export function useFleetView(
  devices: readonly Device[] | undefined,
  { search, show, sort, desc }: FleetView,
) {
  // Sorting 10,000 devices is too slow for every unrelated render.
  const shown = useMemo(
    () => visibleDevices(devices ?? [], { search, show, sort, desc }),
    [devices, search, show, sort, desc],
  )
  const view = [search, show, sort, desc].join()
  const [held, setHeld] = useState<{ view: string; rows: Device[] }>()
  const moves = show !== 'all' || sort === 'status' || sort === 'enabled'
  const stale = held !== undefined && held.view !== view
  if (stale) setHeld({ view, rows: shown })
  const kept = held && !stale && moves ? held.rows : undefined
  const rows = useMemo(() => (kept ? inSameOrder(kept, devices ?? []) : shown), [kept, devices, shown])
  return {
    rows,
    hold: { onPointerEnter: () => setHeld({ view, rows }), onPointerLeave: () => setHeld(undefined) },
  }
}
