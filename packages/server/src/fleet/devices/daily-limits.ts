import type { DeviceLimit, DeviceSettings } from '@sdd/contract/fleet/limits.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import type { Live } from '#server/core/live.ts'
import { listDevices, requireDevice } from './devices.ts'
import { holdCapacity } from './capacity.store.ts'
import { deviceStore } from './store.ts'

/** The daily limit of each device of the scope, and how much of it is used. */
export async function listDeviceSettings(
  needs: Parameters<typeof listDevices>[0],
  scope: Scope,
): Promise<DeviceSettings[]> {
  const devices = await listDevices(needs, scope)
  return devices.map(({ company_id, uid, status, max_sms_dayly, sent_today }) => ({
    company_id,
    uid,
    status,
    max_sms_dayly,
    sent_today,
  }))
}

/** Sets a device's daily limit, in SMS parts. `unknown_device` outside the scope. */
export async function saveDeviceLimit(
  { db, clock, live, wake }: { db: Database; clock: Clock; live: Live; wake(): void },
  caller: Caller,
  limit: DeviceLimit,
): Promise<DeviceLimit> {
  const { uid, max_sms_dayly } = limit
  const company_id = await db.write(async (tx) => {
    const { id, company_id, max_sms_dayly: was } = await requireDevice(tx, caller.scope, uid)
    await holdCapacity(tx, [id])
    await deviceStore(tx, caller.scope).update(id, { max_sms_dayly })
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'device.limit_saved',
      name: uid,
      changes: { max_sms_dayly: { from: was, to: max_sms_dayly } },
    })
    return company_id
  })
  live.changed(company_id, 'devices', 'settings', 'audit')
  wake()
  return limit
}
