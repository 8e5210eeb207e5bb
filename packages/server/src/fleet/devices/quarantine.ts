import { instant } from '#server/core/clock.ts'
import { sentence } from '#server/core/sentence.ts'
import type { Tx } from '#server/database/schema.ts'
import { deviceStore, WITHOUT_FAILURES } from './store.ts'

/** After this many failures in a row, the device is given no tasks for a while. */
const FAILURES = 5
/** How long, for the first quarantine and for each further one before a message succeeds. */
export const LASTS_MS = [1, 5, 15, 60, 360].map((minutes) => minutes * 60_000)

const reason = sentence('{failures} messages in a row failed on it, the last with {last}.')

/** The fields that say why a device is in quarantine. */
export function quarantineFieldsOf(quarantine_reason: string | null) {
  const facts = quarantine_reason === null ? undefined : reason.read(quarantine_reason)
  return {
    quarantine_reason,
    quarantine_reason_code: facts ? ('failures_in_row' as const) : null,
    quarantine_reason_params: facts ?? null,
  }
}

/** A message succeeded on the device: clears its failures and its quarantine. */
export async function clearFailures(tx: Tx, device_id: number): Promise<void> {
  await deviceStore(tx, 'all').update(device_id, WITHOUT_FAILURES)
}

/**
 * A message failed because of the device. Returns true if the device is now in quarantine: after 5 failures in a row,
 * or if the first message after a quarantine fails. Messages from console users are sent to it even so.
 */
export async function countFailure(tx: Tx, device_id: number, why: string, now_ms: number): Promise<boolean> {
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
      quarantine_reason: reason.write({ failures: failures_in_row, last: why.replace(/\.$/, '') }),
    }),
  })
  return begins
}
