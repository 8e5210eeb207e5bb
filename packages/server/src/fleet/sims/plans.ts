import type { Clock } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { usesSince } from './history.ts'
import { periodOf } from './period.ts'
import { planStore } from './plans.store.ts'
import { type SimRow, simStore } from './store.ts'

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
