import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { deviceStore, UNBLEMISHED } from './store.ts'

/** So many failures in a row, and the device is given no tasks for a while. */
const FAILURES = 5
/** How long, the first time and each time that it fails again before a message has gone well. */
export const LASTS_MS = [1, 5, 15, 60, 360].map((minutes) => minutes * 60_000)

/** A message went well on the device: what failed before is forgotten, and a quarantine over. */
export async function trust(tx: Tx, device_id: number): Promise<void> {
  await deviceStore(tx, 'all').update(device_id, UNBLEMISHED)
}

/**
 * A message failed on the device, and through the device. True where that puts it into quarantine: after 5 in a row, or
 * when after a quarantine the first one fails again. What console users send it goes all the same.
 */
export async function distrust(tx: Tx, device_id: number, why: string, now_ms: number): Promise<boolean> {
  const devices = deviceStore(tx, 'all')
  const device = await devices.byId(device_id)
  if (device === undefined) return false
  const failures_in_row = device.failures_in_row + 1
  const { quarantined_until, quarantines } = device
  const begins =
    quarantined_until === null ? failures_in_row >= FAILURES : quarantined_until <= instant(now_ms)
  const lasts_ms = LASTS_MS[Math.min(quarantines, LASTS_MS.length - 1)]!
  await devices.update(device_id, {
    failures_in_row,
    ...(begins && {
      quarantines: quarantines + 1,
      quarantined_until: instant(now_ms + lasts_ms),
      quarantine_reason: `${failures_in_row} messages in a row failed on it, the last with ${why.replace(/\.$/, '')}.`,
    }),
  })
  return begins
}
