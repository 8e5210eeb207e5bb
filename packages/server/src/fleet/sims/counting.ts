import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { simNamed, simNumber } from '#server/fleet/devices/sim-numbers.ts'
import { periodOf } from './period.ts'
import { type PlannedSim, planStore } from './plans.store.ts'
import { type SimRow, simStore } from './store.ts'

/** An attempt as it counts on its SIM. */
type CountedUse = {
  sim_id: number | null
  device_id: number
  given_at: string
  number: string
  parts: number
}

/** A SIM that an attempt counts on. */
export type CountedSim = Pick<SimRow, 'id' | 'credit_gone_at'>

/**
 * Returns parts that were not transmitted to the plan of the SIM. If none were, its recipient returns too. Negative
 * `parts` were transmitted after all, and count again.
 */
export async function giveBackUse(tx: Tx, use: CountedUse, parts: number): Promise<undefined> {
  if (use.sim_id === null || parts === 0) return
  const sim = await simStore(tx, 'all').hold(use.sim_id)
  // Nothing is counted without a plan, and another period has other counts.
  if (!sim || sim.renews_on_day === null || use.given_at < sim.used_since!) return
  const used_parts = Math.max(0, sim.used_parts - parts)
  // The recipient counts as long as any of the parts does.
  const left = use.parts - parts
  const changes = use.parts > 0 !== left > 0
  const more = changes ? await changeRecipient(tx, sim.id, use.number, left > 0 ? 1 : -1) : 0
  await simStore(tx, 'all').update(sim.id, { used_parts, used_recipients: sim.used_recipients + more })
}

/**
 * Counts an attempt on the SIM that its device names in a report, by ICCID, number or slot. Parts that were not
 * transmitted (`give_back`) count on none. Returns that SIM if the attempt counted on another one.
 */
export async function moveUse(
  tx: Tx,
  { clock, numbers }: { clock: Clock; numbers: Pick<Numbers, 'kept'> },
  use: CountedUse,
  { give_back, to }: { give_back: number; to: string | number },
): Promise<CountedSim | undefined> {
  const sim = reportedSim(numbers, await simStore(tx, 'all').ofDevices([use.device_id]), to)
  if (sim === undefined || sim.id === use.sim_id) return giveBackUse(tx, use, give_back)
  await giveBackUse(tx, use, use.parts)
  const parts = use.parts - give_back
  if (parts > 0) await addUse(tx, clock, sim.id, { ...use, parts })
  return sim
}

function reportedSim(
  numbers: Pick<Numbers, 'kept'>,
  sims: readonly SimRow[],
  name: string | number,
): SimRow | undefined {
  const named = sims.flatMap((sim) =>
    [sim.said_number, sim.number].map((phone_number) => ({
      sim,
      id: sim.slot,
      iccid: sim.iccid,
      phone_number,
    })),
  )
  const company_id = sims[0]?.company_id ?? 0
  return simNamed(named, name, (written) => simNumber(numbers, company_id, written))?.sim
}

/** It was transmitted, so it counts also above the plan. */
async function addUse(tx: Tx, clock: Clock, sim_id: number, use: CountedUse): Promise<void> {
  const sim = await simStore(tx, 'all').hold(sim_id)
  if (!sim || sim.renews_on_day === null) return
  const uses = await renewed(tx, clock, sim)
  // An attempt of an earlier period does not count in this one.
  if (use.given_at < uses.used_since!) return simStore(tx, 'all').update(sim_id, uses)
  const added = await changeRecipient(tx, sim_id, use.number, 1)
  await simStore(tx, 'all').update(sim_id, {
    ...uses,
    used_parts: uses.used_parts + use.parts,
    used_recipients: uses.used_recipients + added,
  })
}

type Uses = Pick<PlannedSim, 'used_since' | 'used_until' | 'used_parts' | 'used_recipients'>

/** What a plan has used. A new period begins with nothing. */
export async function renewed(tx: Tx, clock: Clock, sim: PlannedSim): Promise<Uses> {
  const { id, renews_on_day, used_since, used_until, used_parts, used_recipients } = sim
  const now_ms = clock.now()
  if (used_until! > instant(now_ms)) return { used_since, used_until, used_parts, used_recipients }
  const { since, until } = periodOf(clock, renews_on_day!, now_ms)
  await planStore(tx).clear(id)
  return { used_since: since, used_until: until, used_parts: 0, used_recipients: 0 }
}

/** Changes the messages to a number. Returns by how many recipients that changes their count: 1, 0 or -1. */
async function changeRecipient(tx: Tx, sim_id: number, number: string, messages: 1 | -1): Promise<number> {
  const plans = planStore(tx)
  const before = (await plans.counted([[sim_id, number]])).get(`${sim_id} ${number}`) ?? 0
  const after = Math.max(0, before + messages)
  await plans.set({ sim_id, number, messages: after })
  return Math.sign(after) - Math.sign(before)
}
