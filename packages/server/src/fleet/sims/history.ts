import type { Tx } from '#server/database/schema.ts'
import { attemptsOn, type CountedAttempt } from './history.store.ts'
import { simStore } from './store.ts'

/** The traffic of a SIM: SMS parts, and messages by number. */
type SimUses = { parts: number; recipients: Map<string, number> }

/** Rows per step, and after how many earlier attempts in a row the rest is taken to be earlier, too. */
const STEP = 2_000

/**
 * The traffic of a SIM since then, from the messages themselves: without a plan nothing is counted at the hand-over. An
 * attempt that transmitted nothing does not count.
 */
export async function usesSince(tx: Tx, sim_id: number, since: string): Promise<SimUses> {
  const uses: SimUses = { parts: 0, recipients: new Map() }
  for (const device_id of await simStore(tx, 'all').devicesOf(sim_id))
    for (const read of attemptsOn(tx, sim_id, device_id)) await walk(read, since, uses)
  return uses
}

async function walk(
  read: (below: number, most: number) => Promise<CountedAttempt[]>,
  since: string,
  uses: SimUses,
): Promise<void> {
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const attempts = await read(below, STEP)
    const counted = attempts.filter(({ given_at }) => given_at >= since)
    for (const { number, parts } of counted) {
      if (parts <= 0) continue
      uses.parts += parts
      uses.recipients.set(number, (uses.recipients.get(number) ?? 0) + 1)
    }
    if (attempts.length < STEP || counted.length === 0) return
    below = attempts.at(-1)!.id
  }
}
