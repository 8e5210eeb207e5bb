import type { Clock } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { NEVER } from '#server/fleet/devices/sim-room.ts'
import { usesSince } from './history.ts'
import { periodOf } from './period.ts'
import { type PlannedSim, planStore } from './plans.store.ts'
import { type SimRow, simStore } from './store.ts'

/** A message as it counts against a plan. `from_number` is the SIM that it asks for. */
export type CountedMessage = { message_to: string; parts: number; from_number: string | null }

/** The SMS parts, and the new recipients, that the plan of a SIM still allows. */
type PlanRoom = { parts: number; recipients: number }

export function planRoomOf(sim: PlannedSim, now: string): PlanRoom {
  if (sim.renews_on_day === null) return { parts: Infinity, recipients: Infinity }
  if (isPast(sim, now)) return { parts: 0, recipients: 0 }
  const used = usedOfPlan(sim, now)
  return {
    parts: (sim.parts_per_month ?? Infinity) - used.parts,
    recipients: (sim.recipients_per_month ?? Infinity) - used.recipients,
  }
}

/** What counts against a plan. The counts of a period that is over no longer do. */
export function usedOfPlan(
  {
    used_until,
    used_parts,
    used_recipients,
  }: Pick<PlannedSim, 'used_until' | 'used_parts' | 'used_recipients'>,
  now: string,
): { parts: number; recipients: number } {
  return used_until! <= now ? { parts: 0, recipients: 0 } : { parts: used_parts, recipients: used_recipients }
}

function isPast({ ends_at }: Pick<PlannedSim, 'ends_at'>, now: string): boolean {
  return ends_at !== null && ends_at <= now
}

/** Whether a message that asks for a number may go through this SIM. */
export function isAskedFor(
  sim: Pick<PlannedSim, 'number' | 'said_number'>,
  { from_number }: Pick<CountedMessage, 'from_number'>,
): boolean {
  return from_number === null || sim.number === from_number || sim.said_number === from_number
}

/** The SIMs that messages ask for, in their device. A number of a SIM without an ICCID has none. */
export async function openAskedSims(
  tx: Tx,
  messages: readonly { device_id: number; from_number: string | null }[],
): Promise<(message: { device_id: number; from_number: string | null }) => number | undefined> {
  const ids = new Set(
    messages.flatMap(({ device_id, from_number }) => (from_number === null ? [] : device_id)),
  )
  const sims = ids.size === 0 ? [] : await simStore(tx, 'all').ofDevices([...ids])
  const byDevice = Map.groupBy(sims, ({ device_id }) => device_id!)
  return (message) => byDevice.get(message.device_id)?.find((sim) => isAskedFor(sim, message))?.id
}

/** The SIM whose plan holds messages up, and until when. `valid_until` is its last day, if that is over. */
export type PlanWait = { iccid: string; at: string; valid_until?: string }

type MessageOfDevice = CountedMessage & { id: number; device_id: number }

/** The waits of those of these messages that no plan of their device's SIMs has room for, by the message's id. */
export async function planWaits(
  tx: Tx,
  now: string,
  messages: readonly MessageOfDevice[],
): Promise<Map<number, PlanWait>> {
  const waits = new Map<number, PlanWait>()
  if (messages.length === 0) return waits
  const rows = await simStore(tx, 'all').ofDevices([...new Set(messages.map(({ device_id }) => device_id))])
  const byDevice = Map.groupBy(rows, ({ device_id }) => device_id!)
  const simsFor = (message: MessageOfDevice) =>
    (byDevice.get(message.device_id) ?? []).filter((sim) => isAskedFor(sim, message))
  const counted = await planStore(tx).counted(
    messages.flatMap((message) => simsFor(message).map(({ id }) => [id, message.message_to] as const)),
  )
  for (const message of messages) {
    const sims = simsFor(message)
    const full = sims.filter((sim) => {
      const { parts, recipients } = planRoomOf(sim, now)
      return parts < message.parts || (recipients < 1 && !counted.has(`${sim.id} ${message.message_to}`))
    })
    if (sims.length > 0 && full.length === sims.length) waits.set(message.id, firstToRenew(full, now))
  }
  return waits
}

function firstToRenew(sims: readonly PlannedSim[], now: string): PlanWait {
  const renewals = sims.map((sim) =>
    isPast(sim, now)
      ? `${NEVER}${sim.ends_at} ${sim.iccid} ${sim.valid_until}`
      : `${sim.used_until} ${sim.iccid}`,
  )
  return readRenewal(renewals.sort()[0]!)
}

/** Reads an answer of `PLAN_RENEWAL`. */
export function readRenewal(renewal: string): PlanWait {
  const [end, iccid, valid_until] = renewal.split(' ') as [string, string, string | undefined]
  return valid_until === undefined ? { iccid, at: end } : { iccid, at: end.slice(NEVER.length), valid_until }
}

/** Counts from the messages what a changed plan has used in its period. Without a plan nothing stays counted. */
export async function countAgain(
  tx: Tx,
  clock: Clock,
  { id, renews_on_day }: Pick<SimRow, 'id' | 'renews_on_day'>,
): Promise<void> {
  await planStore(tx).clear(id)
  if (renews_on_day === null) {
    const nothing = { used_since: null, used_until: null, used_parts: 0, used_recipients: 0 }
    return simStore(tx, 'all').update(id, nothing)
  }
  const { since, until } = periodOf(clock, renews_on_day, clock.now())
  const { parts, recipients } = await usesSince(tx, id, since)
  await planStore(tx).add([...recipients].map(([number, messages]) => ({ sim_id: id, number, messages })))
  await simStore(tx, 'all').update(id, {
    used_since: since,
    used_until: until,
    used_parts: parts,
    used_recipients: recipients.size,
  })
}

/** The same after the present period changed. */
export async function renewCount(tx: Tx, clock: Clock, sim_id: number): Promise<void> {
  const sim = await simStore(tx, 'all').hold(sim_id)
  if (sim) await countAgain(tx, clock, sim)
}
