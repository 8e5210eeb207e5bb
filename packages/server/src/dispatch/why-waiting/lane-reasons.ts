import type { WaitingReason } from '@sdd/contract/dispatch/waiting.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { DEVICE_WINDOW } from '#server/fleet/devices/capacity.ts'
import type { FleetCapacity } from '#server/fleet/devices/capacity.store.ts'
import { capacityOfCompanies, capacityOfSims } from '#server/fleet/devices/fleet-capacity.ts'
import { homeLane, type Lane, LATER, simOf } from '#server/dispatch/lanes/lanes.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import { laneCounts, lanesOf } from '#server/dispatch/lanes/store.ts'

/** The columns that explain why a task without a device is waiting. */
export type LanedRow = Pick<
  Message,
  | 'company_id'
  | 'lane'
  | 'lane_until'
  | 'from_number'
  | 'parts'
  | 'attempt'
  | 'avoid_device_id'
  | 'queue_timestamp'
  | 'expires_at'
>

type Settings = { send_enabled: 0 | 1; send_enabled_at: string; spoof_time_secs: number }
type Named = { uid: string } | undefined

/** The facts behind the reasons for a page of rows, from a few queries for any number of rows. */
export type LaneFacts = {
  capacity(row: LanedRow): FleetCapacity
  /** The number of tasks in the same lane. */
  waiting(row: LanedRow): number
}

/** Reads the facts that explain why these tasks wait. */
export async function laneFacts(tx: Tx, clock: Clock, rows: readonly LanedRow[]): Promise<LaneFacts> {
  const now_ms = clock.now()
  const at = { now: instant(now_ms), day: clock.day(now_ms) }
  const companies = [...new Set(rows.map(({ company_id }) => company_id))]
  const sims = [...new Set(rows.flatMap((row) => simOf(homeLane(row)) ?? []))]
  const [ofCompanies, ofSims, counts] = await Promise.all([
    capacityOfCompanies(tx, companies, at),
    capacityOfSims(tx, companies, sims, at),
    laneCounts(tx, companies, [...new Set(rows.flatMap(({ lane }) => lane ?? []))]),
  ])
  return {
    capacity: (row) => {
      const sim = simOf(homeLane(row))
      return sim === undefined ? ofCompanies(row.company_id) : ofSims(row.company_id, sim)
    },
    waiting: ({ company_id, lane }) => counts.get(`${company_id} ${lane}`) ?? 1,
  }
}

/**
 * Why none of these devices is given the task now, by the obstacle that stops the best of them. `parts` is the number
 * of SMS parts of the task.
 */
export function reasonOfLane(
  capacity: FleetCapacity,
  settings: Pick<Settings, 'send_enabled'> | undefined,
  { lane, now, parts }: { lane: Lane; now: string; parts: number },
): WaitingReason {
  if (settings?.send_enabled === 0) return 'sending_off'
  if (lane === LATER) return 'later'
  if (capacity.total === 0) return 'no_device'
  if (capacity.connected === 0) return 'device_offline'
  if (capacity.enabled === 0) return 'device_disabled'
  if (capacity.within === 0 || capacity.room < parts) return 'daily_limit'
  if (capacity.trusted === 0) return 'quarantined'
  if (capacity.open === 0) return 'window_full'
  return capacity.open_at !== null && capacity.open_at > now ? 'pacing' : 'next'
}

/** The tasks in the scope's shared lanes by reason, with the number of devices that the reason is about. */
export async function lanesInWait(
  tx: Tx,
  clock: Clock,
  scope: Scope,
  settings: ReadonlyMap<number, Pick<Settings, 'send_enabled'>>,
): Promise<{ company_id: number; reason: WaitingReason; count: number; devices: number }[]> {
  const now_ms = clock.now()
  const at = { now: instant(now_ms), day: clock.day(now_ms) }
  const lanes = await lanesOf(tx, scope)
  const companies = [...new Set(lanes.map(({ company_id }) => company_id))]
  const ofCompanies = await capacityOfCompanies(tx, companies, at)
  const sims = lanes.flatMap(({ lane }) => simOf(lane) ?? [])
  const ofSims = await capacityOfSims(tx, companies, sims, at)
  return lanes.map(({ company_id, lane, waiting }) => {
    const sim = simOf(lane)
    const capacity = sim === undefined ? ofCompanies(company_id) : ofSims(company_id, sim)
    // Only the tasks know their length, so this assumes that one part would fit.
    const facts = { lane: lane as Lane, now: at.now, parts: 1 }
    const reason = reasonOfLane(capacity, settings.get(company_id), facts)
    return { company_id, reason, count: waiting, devices: concerned(capacity, reason) }
  })
}

/** The number of devices that a reason is about. */
function concerned(capacity: FleetCapacity, reason: WaitingReason): number {
  switch (reason) {
    case 'later':
    case 'no_device':
      return 0
    case 'sending_off':
    case 'device_offline':
      return capacity.total
    case 'device_disabled':
      return capacity.connected
    case 'daily_limit':
      return capacity.enabled
    case 'quarantined':
      return capacity.within
    case 'window_full':
      return capacity.trusted
    case 'pacing':
    case 'next':
      return capacity.open
  }
}

/** A sentence that says why a task without a device is waiting, and until when if known. */
export function waitingInLane(
  row: LanedRow,
  facts: LaneFacts,
  { settings, usual, avoided, clock }: { settings: Settings; usual: Named; avoided: Named; clock: Clock },
): string {
  const now_ms = clock.now()
  const capacity = facts.capacity(row)
  const [lane, now] = [row.lane as Lane, instant(now_ms)]
  const reason = reasonOfLane(capacity, settings, { lane, now, parts: row.parts })
  const orExpires = `or expires at ${row.expires_at}`
  const waiting = facts.waiting(row)
  const line = waiting === 1 ? 'no other task waits with it' : `${waiting} tasks wait in this line`
  if (usual !== undefined && reason !== 'sending_off') {
    return `It waits for ${usual.uid}, which wrote to this number last, until ${row.lane_until}; then any device may take it.`
  }
  switch (reason) {
    case 'sending_off':
      return `Sending has been switched off in Settings since ${settings.send_enabled_at}: it waits until that is on again, ${orExpires}.`
    case 'later':
      return row.attempt === 0
        ? `Not before ${row.lane_until}, as it was handed in.`
        : `Attempt ${row.attempt} failed${avoided ? ` on ${avoided.uid}` : ''}: it is tried again at ${row.lane_until}, on another device where there is one.`
    case 'no_device':
      return row.from_number === null
        ? `No device is linked: it goes out once one is, ${orExpires}.`
        : `No device has a SIM of ${row.from_number}: it goes out once one has, ${orExpires}.`
    case 'device_offline':
      return `${obstacles(row, capacity)}${capacity.total === 1 ? '' : ', the last one'} since ${capacity.left_at}: it goes out once one is back, ${orExpires}.`
    case 'device_disabled':
      return `${obstacles(row, capacity)}: it goes out once one is enabled, ${orExpires}.`
    case 'daily_limit': {
      const tomorrow = `it goes on at ${instant(clock.midnightAfter(now_ms))}, or once a limit is raised in Settings`
      if (row.parts > capacity.most) {
        return `Daily limit: it takes ${row.parts} SMS, and no device may send more than ${capacity.most} a day; raise a limit in Settings.`
      }
      return capacity.within > 0
        ? `Daily limit: no device has room for its ${row.parts} SMS today; ${tomorrow}.`
        : `Daily limit reached: ${obstacles(row, capacity)}; ${tomorrow}.`
    }
    case 'quarantined':
      return `${obstacles(row, capacity)}, as too many messages failed in a row: one is tried again at ${capacity.trusted_at}.`
    case 'window_full':
      return `Every device that could take it has ${DEVICE_WINDOW} unfinished messages; one is handed over when one of them ends, ${line}.`
    case 'pacing':
      return `Pacing: each device is handed one message every ${settings.spoof_time_secs} s; the next slot opens at ${capacity.open_at}, ${line}.`
    case 'next':
      return `Next in line since ${row.queue_timestamp}: ${line}.`
  }
}

/** Why none of the devices can take it: `All 3 devices are offline`, or how many have which obstacle. */
function obstacles(
  row: LanedRow,
  { total, connected, enabled, within, trusted, uid }: FleetCapacity,
): string {
  const sim = row.from_number === null ? '' : ` with a SIM of ${row.from_number}`
  const found = (
    [
      [total - connected, 'offline'],
      [connected - enabled, 'disabled'],
      [enabled - within, 'at the daily limit'],
      [within - trusted, 'in quarantine'],
    ] as const
  ).filter(([devices]) => devices > 0)
  const [first] = found
  if (found.length === 1 && first) {
    return total === 1
      ? `${uid}, the only device${sim}, is ${first[1]}`
      : `All ${total} devices${sim} are ${first[1]}`
  }
  const each = found.map(([devices, how]) => `${devices} ${devices === 1 ? 'is' : 'are'} ${how}`)
  return `None of the ${total} devices${sim} can take it: ${each.join(', ')}`
}
