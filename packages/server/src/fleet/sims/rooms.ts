import type { Clock } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { renewed } from './counting.ts'
import { type CountedMessage, isAskedFor, planRoomOf } from './plans.ts'
import { type PlannedSim, planStore } from './plans.store.ts'
import { simStore } from './store.ts'

/** The SIM that takes a message; null if it is not one whose ICCID is known. */
export type Chosen = { id: number; iccid: string } | null

/** The SIMs of devices whose commands name one, and the room in their plans, during one round of hand-overs. */
export type SimRooms = {
  /** The first SIM of the device, by slot, that may send the message. `undefined`: none may now. */
  choose(device_id: number, message: CountedMessage): Promise<Chosen | undefined>
  /** Reads in one statement, if any, whether the recipients of these messages count already. */
  lookUp(device_id: number, messages: readonly CountedMessage[]): Promise<void>
  /** Counts the message on that SIM. */
  take(sim: Chosen, message: CountedMessage): Promise<void>
  /** Call it once at the end. */
  write(): Promise<void>
}

type Round = {
  sim: PlannedSim
  /** The messages of this round, by number. */
  given: Map<string, number>
  /** How many of them had none in this period, where the plan limits them. */
  added: number
  changed: boolean
}

/** Locks the SIMs of these devices. Without any, it reads and writes nothing. */
export async function openSimRooms(
  tx: Tx,
  clock: Clock,
  device_ids: readonly number[],
  now: string,
): Promise<SimRooms> {
  const held = device_ids.length === 0 ? [] : await planStore(tx).hold(device_ids)
  const rounds = held.map((sim): Round => ({ sim, given: new Map(), added: 0, changed: false }))
  const byDevice = Map.groupBy(rounds, ({ sim }) => sim.device_id!)
  const byId = new Map(rounds.map((round) => [round.sim.id, round]))
  const known = new Map<string, Promise<boolean>>()
  for (const round of rounds) await renew(round)

  /** A new period begins with nothing used. */
  async function renew(round: Round): Promise<void> {
    const { sim } = round
    if (sim.renews_on_day === null || sim.used_until! > now) return
    Object.assign(sim, await renewed(tx, clock, sim))
    round.changed = true
  }

  async function hasRoom(
    { sim, given, added }: Round,
    { message_to, parts }: CountedMessage,
  ): Promise<boolean> {
    const room = planRoomOf(sim, now)
    if (room.parts < parts) return false
    if (room.recipients > added) return true
    return given.has(message_to) || counts(sim.id, message_to)
  }

  /** Whether the number counted before this round. */
  function counts(sim_id: number, number: string): Promise<boolean> {
    return known.getOrInsertComputed(`${sim_id} ${number}`, async () => {
      const found = await planStore(tx).counted([[sim_id, number]])
      return found.size > 0
    })
  }

  return {
    async choose(device_id, message) {
      const sims = (byDevice.get(device_id) ?? []).filter(({ sim }) => isAskedFor(sim, message))
      // Its number is of a SIM without an ICCID.
      if (sims.length === 0) return null
      for (const round of sims) if (await hasRoom(round, message)) return round.sim
      return undefined
    },
    async lookUp(device_id, messages) {
      const full = (byDevice.get(device_id) ?? []).filter(
        ({ sim, added }) => planRoomOf(sim, now).recipients <= added,
      )
      const unknown = full.flatMap(({ sim }) =>
        messages.flatMap(({ message_to }) =>
          known.has(`${sim.id} ${message_to}`) ? [] : [[sim.id, message_to] as const],
        ),
      )
      if (unknown.length === 0) return
      const found = await planStore(tx).counted(unknown)
      for (const [sim_id, number] of unknown) {
        const key = `${sim_id} ${number}`
        known.set(key, Promise.resolve(found.has(key)))
      }
    },
    async take(chosen, { message_to, parts }) {
      const round = chosen && byId.get(chosen.id)
      if (!round || round.sim.renews_on_day === null) return
      round.changed = true
      round.sim.used_parts += parts
      const { id, recipients_per_month } = round.sim
      if (recipients_per_month !== null && !round.given.has(message_to) && !(await counts(id, message_to)))
        round.added++
      round.given.set(message_to, (round.given.get(message_to) ?? 0) + 1)
    },
    async write() {
      for (const { sim, given, changed } of rounds) if (changed) await writeUses(tx, sim, given)
    },
  }
}

async function writeUses(tx: Tx, sim: PlannedSim, given: ReadonlyMap<string, number>): Promise<void> {
  const plans = planStore(tx)
  const before = await plans.counted([...given.keys()].map((number) => [sim.id, number] as const))
  const isNew = (number: string) => !before.has(`${sim.id} ${number}`)
  const rows = [...given].map(([number, messages]) => ({ sim_id: sim.id, number, messages }))
  await plans.add(rows.filter(({ number }) => isNew(number)))
  for (const row of rows)
    if (!isNew(row.number))
      await plans.set({ ...row, messages: row.messages + before.get(`${sim.id} ${row.number}`)! })
  const { used_since, used_until, used_parts } = sim
  const used_recipients = sim.used_recipients + rows.filter(({ number }) => isNew(number)).length
  await simStore(tx, 'all').update(sim.id, { used_since, used_until, used_parts, used_recipients })
}
