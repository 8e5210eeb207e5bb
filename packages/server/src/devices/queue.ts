import type { Tx } from '#server/database/schema.ts'
import { type DeviceRow, nextSlot, sentOn } from './devices.ts'
import { deviceStore } from './store.ts'

/** The most unfinished messages that one device holds, so that the rest can go elsewhere. */
export const DEVICE_WINDOW = 10

export type ReadyDevice = Awaited<ReturnType<typeof readyDevices>>[number]

/** Devices that may be given something now; the one whose pacing slot has been open longest comes first. */
export function readyDevices(tx: Tx, now: string, day: string, limit: number) {
  return deviceStore(tx, 'all').ready({ now, day, window: DEVICE_WINDOW, limit })
}

/** How many messages, and how many SMS parts, the device may be given now. */
export function roomOf(device: ReadyDevice, day: string): { messages: number; parts: number } {
  return {
    // With a pace, one slot is one message.
    messages: device.spoof_time_secs > 0 ? 1 : DEVICE_WINDOW - device.unfinished,
    parts: device.max_sms_dayly - sentOn(device, day),
  }
}

/** Messages have joined the device's queue (or left it, where negative). */
export function queueFor(tx: Tx, device_id: number, messages: number) {
  return deviceStore(tx, 'all').count(device_id, { queued: messages })
}

/** Tasks have joined the device's own lane (or left it, where negative). */
export function stickTo(tx: Tx, device_id: number, tasks: number) {
  return deviceStore(tx, 'all').count(device_id, { sticky: tasks })
}

/** Books messages that the device is given now: its window, its day and its pacing slot. */
export function reserve(
  tx: Tx,
  device: ReadyDevice,
  given: { messages: number; parts: number; day: string; at: string },
) {
  return deviceStore(tx, 'all').update(device.id, {
    queued: device.queued - given.messages,
    unfinished: device.unfinished + given.messages,
    sent_day: given.day,
    sent_parts: sentOn(device, given.day) + given.parts,
    last_given_at: given.at,
    next_slot_at: nextSlot(given.at, device.spoof_time_secs),
  })
}

/** Nothing of the device's queue fits into its day: others come first until then. */
export function setAside(tx: Tx, device: ReadyDevice, until: string) {
  return deviceStore(tx, 'all').update(device.id, { next_slot_at: until })
}

/** An attempt has ended: it leaves the window, and parts that did not go on air count no more. */
export async function release(tx: Tx, device_id: number, give_back: number, day: string): Promise<void> {
  await deviceStore(tx, 'all').count(device_id, { unfinished: -1 })
  await giveBack(tx, device_id, give_back, day)
}

/** SMS parts reserved on `day` did not go on air. */
export async function giveBack(tx: Tx, device_id: number, parts: number, day: string): Promise<void> {
  if (parts > 0) await deviceStore(tx, 'all').giveBack(device_id, parts, day)
}

/** Linked devices by id. */
export async function devicesById(tx: Tx, ids: readonly number[]): Promise<Map<number, DeviceRow>> {
  const rows = ids.length === 0 ? [] : await deviceStore(tx, 'all').byIds(ids)
  return new Map(rows.map((row) => [row.id, row]))
}
