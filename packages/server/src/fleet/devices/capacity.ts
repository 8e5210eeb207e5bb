import type { Clock } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { type DeviceRow, nextSlot, sentOn } from './devices.ts'
import { companiesToServe, type ReadyDevice, readinessStore } from './readiness.store.ts'
import { changeDevice, deviceStore } from './store.ts'

/** The most unfinished messages that one device holds, so that the rest can go elsewhere. The indexes know it too. */
export const DEVICE_WINDOW = 10

export type { ReadyDevice }

/** Devices connected here that may be given now what waits for them alone; the one whose slot has been open longest comes first. */
export function readyDevices(tx: Tx, replica: string, now: string, limit: number) {
  return readinessStore(tx).ownReady(replica, now, limit)
}

/** Companies for whose tasks a device that is connected here is ready, those above the id `after` first. */
export function companiesToShareIn(
  tx: Tx,
  at: { replica: string; now: string; after: number; limit: number },
) {
  return companiesToServe(tx, at)
}

/** Devices of such a company that are connected here and may be given tasks now, in the order of their slots. */
export function sharingDevices(
  tx: Tx,
  { company_id, any }: { company_id: number; any: 0 | 1 },
  { replica, now, limit }: { replica: string; now: string; limit: number },
) {
  const devices = readinessStore(tx)
  return any === 1
    ? devices.sharing(replica, company_id, now, limit)
    : devices.sharingSims(replica, company_id, now, limit)
}

/** How many messages, and how many SMS parts, the device may be given now. */
export function roomOf(device: ReadyDevice, day: string): { messages: number; parts: number } {
  return {
    // With a pace, one slot is one message.
    messages: device.spoof_time_secs > 0 ? 1 : DEVICE_WINDOW - device.unfinished,
    parts: device.max_sms_dayly - sentOn(device, day),
  }
}

/** How many tasks it may be given beside what waits for it alone: none in a quarantine, after one a single one. */
export function roomForTasks(device: ReadyDevice, now: string): number {
  if (device.quarantined_until === null) return DEVICE_WINDOW
  return device.quarantined_until <= now && device.unfinished === 0 ? 1 : 0
}

/** Whether another device could take a task of so many SMS, now or later today; one with that SIM, where one is named. */
export function otherCould(
  tx: Tx,
  device: { id: number; company_id: number },
  now: string,
  task: { parts: number; sim: string | undefined },
): Promise<boolean> {
  return readinessStore(tx).otherCould(device, now, task)
}

/** The numbers of the device's SIMs, as `numberKey` has them. */
export function simsOf(tx: Tx, device_id: number): Promise<Set<string>> {
  return deviceStore(tx, 'all').simsOf(device_id)
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
  given: { messages: number; own: number; parts: number; day: string; at: string },
) {
  return changeDevice(tx, device.id, {
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

/** Nothing that it could be given fits into its day: others come first until then. */
export function setAside(tx: Tx, device: ReadyDevice, until: string) {
  const own = device.queued + device.sticky > 0
  return changeDevice(tx, device.id, { aside_until: until, ...(own && { next_slot_at: until }) })
}

/** What devices sent on an earlier day counts no more. True where there are probably more of them. */
export async function beginDay(
  { db, clock }: { db: Database; clock: Clock },
  limit: number,
): Promise<boolean> {
  const day = clock.day(clock.now())
  if ((await readinessStore(db.read).ofEarlierDays(day, 1)).length === 0) return false
  return db.write(async (tx) => {
    const ids = await readinessStore(tx).ofEarlierDays(day, limit)
    if (ids.length > 0) await readinessStore(tx).beginDay(ids, day)
    return ids.length === limit
  })
}

/** Devices that tasks wait for in vain, as they are not there or may send nothing now. */
export function leftDevices(tx: Tx, limit: number) {
  return readinessStore(tx).left(limit)
}

/** What attempts that have ended change, by device. */
export type DeviceChanges = Map<
  number,
  {
    /** So many leave the window. */
    finished: number
    /** SMS parts reserved on that day that did not go on air count no more. */
    unused: { parts: number; day: string }[]
  }
>

export async function adjustDevices(tx: Tx, changes: DeviceChanges): Promise<void> {
  const devices = deviceStore(tx, 'all')
  for (const [id, { finished, unused }] of changes) {
    if (finished > 0) await devices.count(id, { unfinished: -finished })
    for (const { parts, day } of unused) await devices.giveBack(id, parts, day)
  }
}

/** One attempt has ended. */
export async function release(tx: Tx, device_id: number): Promise<void> {
  await adjustDevices(tx, new Map([[device_id, { finished: 1, unused: [] }]]))
}

/** Linked devices by id. */
export async function devicesById(tx: Tx, ids: readonly number[]): Promise<Map<number, DeviceRow>> {
  const rows = ids.length === 0 ? [] : await deviceStore(tx, 'all').byIds(ids)
  return new Map(rows.map((row) => [row.id, row]))
}
