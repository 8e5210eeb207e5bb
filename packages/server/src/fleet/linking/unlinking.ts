import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { holdCapacity } from '#server/fleet/devices/capacity.store.ts'
import { type DeviceLinks, type DeviceRow, requireDevice } from '#server/fleet/devices/devices.ts'
import { takeSimsOut } from '#server/fleet/sims/naming.ts'
import { deviceStore, DISCONNECTED } from '#server/fleet/devices/store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  broker: Pick<DeviceLinks, 'disconnectDevice'>
  /** Ends the device's unfinished messages, in this transaction. */
  endUnlinked(tx: Tx, device: DeviceRow): Promise<void>
}

/**
 * Removes a device from its company and cuts its connection. Its uid may be linked again, and its history stays.
 * Messages it was never given fail; messages it had without reporting a result become uncertain. `unknown_device`
 * outside the scope.
 */
export async function unlinkDevice(
  { db, clock, live, broker, endUnlinked }: Needs,
  caller: Caller,
  uid: string,
): Promise<void> {
  const now = instant(clock.now())
  const device = await db.write(async (tx) => {
    const device = await requireDevice(tx, caller.scope, uid)
    await holdCapacity(tx, [device.id])
    await endUnlinked(tx, device)
    if (device.sim_count > 0) await takeSimsOut(tx, device)
    await deviceStore(tx, caller.scope).update(device.id, {
      unlinked_at: now,
      ...DISCONNECTED,
      status_at: now,
    })
    const { company_id } = device
    await recordChange(tx, clock, caller, { company_id, action: 'device.unlinked', name: uid })
    return device
  })
  broker.disconnectDevice(uid)
  if (device.status === 'connected')
    live.deviceStatus(device.company_id, uid, 'disconnected', device.connection)
  live.changed(device.company_id, 'devices', 'sims', 'settings', 'logs', 'tasks', 'audit')
}
