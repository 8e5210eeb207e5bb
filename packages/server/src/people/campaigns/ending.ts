import type { Tx } from '#server/database/schema.ts'
import { pendingStore } from './rows.store.ts'
import { countStore } from './store.ts'

/** Rows of one transaction that end without a message. */
const ENDED = 2_000

/** Ends pending rows in this state. Returns how many; fewer than `ENDED` are the last. */
export async function endPending(
  tx: Tx,
  id: number,
  state: 'expired' | 'cancelled',
  now: string,
): Promise<{ ended: number; more: boolean }> {
  const ended = await pendingStore(tx, id).end(state, now, ENDED)
  if (ended > 0) {
    await countStore(tx).add(id, 'pending', -ended)
    await countStore(tx).add(id, state, ended)
  }
  return { ended, more: ended === ENDED }
}
