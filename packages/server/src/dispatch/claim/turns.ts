import type { Tx } from '#server/database/schema.ts'
import {
  companiesToShareIn,
  type ReadyDevice,
  readyDevices,
  roomForTasks,
  roomOf,
  sharingDevices,
} from '#server/fleet/devices/capacity.ts'

/** A device's turn to be given something, with what it may be given yet and what it was given. */
export type Turn = {
  readonly device: ReadyDevice
  /** Which lanes of its company, beside its own, have anything for a device. */
  readonly work: { any: 0 | 1; sims: 0 | 1 } | undefined
  /** Room for messages and SMS parts; how many of the messages may be tasks that any device could take. */
  messages: number
  parts: number
  tasks: number
  readonly given: { messages: number; own: number; parts: number }
}

export type Turns = {
  /** The device whose slot has been open longest comes first. */
  turns: Turn[]
  /** There may be more devices than these. */
  cut: boolean
  /** The last company that had its turn, where others wait for theirs. */
  last_company: number
}

/** Devices of one round, and companies whose tasks are shared out in it: bounds how long one transaction lasts. */
const DEVICES = 100
const COMPANIES = 10
/** Devices of a company with fewer tasks than this: some of them may fit into no day. */
const LEAST_DEVICES = 10

/** Whether any device could be given anything: what a round costs when none can. */
export async function anyInTurn(tx: Tx, replica: string, now: string): Promise<boolean> {
  if ((await readyDevices(tx, replica, now, 1)).length > 0) return true
  return (await companiesToShareIn(tx, { replica, now, after: 0, limit: 1 })).length > 0
}

/** The devices that may be given something now. */
export async function devicesInTurn(
  tx: Tx,
  { replica, now, day, after_company }: { replica: string; now: string; day: string; after_company: number },
): Promise<Turns> {
  // What others have added to the queues and windows, in the transaction that this is part of.
  await tx.writeTotals()
  const ready = await readyDevices(tx, replica, now, DEVICES)
  const companies = await companiesToShareIn(tx, { replica, now, after: after_company, limit: COMPANIES })
  const each = Math.ceil(DEVICES / Math.max(1, companies.length))
  let cut = ready.length === DEVICES || companies.length === COMPANIES
  const devices = new Map(ready.map((device) => [device.id, device]))
  for (const company of companies) {
    const limit = Math.min(each, Math.max(company.waiting, LEAST_DEVICES))
    const sharing = await sharingDevices(tx, company, { replica, now, limit })
    cut ||= sharing.length === limit
    for (const device of sharing) devices.set(device.id, device)
  }
  const work = new Map(companies.map((company) => [company.company_id, company]))
  return {
    turns: [...devices.values()].sort(bySlot).map((device) => ({
      device,
      work: work.get(device.company_id),
      ...roomOf(device, day),
      tasks: roomForTasks(device, now),
      given: { messages: 0, own: 0, parts: 0 },
    })),
    cut,
    last_company: companies.length === COMPANIES ? companies.at(-1)!.company_id : 0,
  }
}

function bySlot(one: ReadyDevice, other: ReadyDevice): number {
  if (one.next_slot_at === other.next_slot_at) return one.id - other.id
  return one.next_slot_at < other.next_slot_at ? -1 : 1
}
