import { instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { changeCapacity, countFor, DEVICE_WINDOW, type HeldDevice, returnParts } from './capacity.store.ts'
import type { DeviceRow } from './store.ts'

export { DEVICE_WINDOW }

/** How many messages, and how many SMS parts, the device may be given now. */
export function freeCapacity(device: HeldDevice, day: string): { messages: number; parts: number } {
  return {
    // With a spoof time, one message for each slot.
    messages: device.spoof_time_secs > 0 ? 1 : DEVICE_WINDOW - device.unfinished,
    parts: device.max_sms_dayly - sentOn(device, day),
  }
}

/** How many tasks the device may be given, not counting its own messages: none during a quarantine, one after it. */
export function taskCapacity(device: HeldDevice, now: string): number {
  if (device.quarantined_until === null) return DEVICE_WINDOW
  return device.quarantined_until <= now && device.unfinished === 0 ? 1 : 0
}

/** Adds to the count of messages that wait for this device; negative if messages left. */
export function countQueued(tx: Tx, device_id: number, messages: number) {
  return countFor(tx, device_id, 'queued', messages)
}

/** Adds to the count of tasks in the device's own lane; negative if tasks left. */
export function countInOwnLane(tx: Tx, device_id: number, tasks: number) {
  return countFor(tx, device_id, 'sticky', tasks)
}

/** Reserves the given messages in the device's window, day and pacing slot. */
export function reserve(
  tx: Tx,
  device: HeldDevice,
  given: { messages: number; own: number; parts: number; day: string; at: string },
) {
  return changeCapacity(tx, device.id, {
    queued: device.queued - given.own,
    unfinished: device.unfinished + given.messages,
    sent_day: later(device.sent_day, given.day),
    sent_parts: sentOn(device, given.day) + given.parts,
    last_given_at: given.at,
    next_slot_at: nextSlot(given.at, device.spoof_time_secs),
  })
}

function later(day: string | null, other: string): string {
  return day !== null && day > other ? day : other
}

/** SMS parts counted against this day's limit. A later day's parts count too, as the clock was set back. */
export function sentOn(device: Pick<DeviceRow, 'sent_day' | 'sent_parts'>, day: string): number {
  return device.sent_day !== null && device.sent_day >= day ? device.sent_parts : 0
}

/** The earliest time at which a device may be given its next message after the one at `given_at`. */
export function nextSlot(given_at: string, spoof_time_secs: number): string {
  return instant(Date.parse(given_at) + spoof_time_secs * 1000)
}

/** Skips the device until `until`, because it can be given none of the messages that wait for it now. */
export function skipUntil(tx: Tx, device: HeldDevice, until: string) {
  const own = device.queued + device.sticky > 0
  return changeCapacity(tx, device.id, { aside_until: until, ...(own && { next_slot_at: until }) })
}

/** The effect of ended attempts, by device. */
export type DeviceChanges = Map<
  number,
  {
    /** The number of attempts that leave the window. */
    finished: number
    /** SMS parts that were reserved on that day but not transmitted. Negative `parts` were, after all. */
    unused: { parts: number; day: string }[]
  }
>

export async function adjustDevices(tx: Tx, changes: DeviceChanges): Promise<void> {
  for (const [id, { finished, unused }] of changes) {
    if (finished > 0) await countFor(tx, id, 'unfinished', -finished)
    for (const { parts, day } of unused) await returnParts(tx, id, parts, day)
  }
}

/** Frees the window slot of one ended attempt. */
export async function release(tx: Tx, device_id: number): Promise<void> {
  await adjustDevices(tx, new Map([[device_id, { finished: 1, unused: [] }]]))
}
