import { setTimeout as wait } from 'node:timers/promises'
import type { LinkNeeds } from './link.ts'
import { openSession } from './session.ts'

/** If no message arrives for this long, the broker has no kept messages left. */
const QUIET_MS = 2_000

/**
 * Takes the place of a stopped server in a shared subscription: processes the messages that the broker kept for it, and
 * keeps no new ones. Rejects if the connection ends earlier, for example because that server is back.
 */
export async function drain({
  address,
  client_id,
  keep_secs,
  topics,
  take,
}: Pick<LinkNeeds, 'address' | 'client_id' | 'keep_secs' | 'take'> & {
  topics: readonly string[]
}): Promise<void> {
  let last_ms = performance.now()
  let over: string | undefined
  const session = openSession({
    address,
    client_id,
    keep_secs,
    subscriptions: [],
    take(topic, payload) {
      last_ms = performance.now()
      return take(topic, payload, () => over !== undefined)
    },
    ended: (why) => (over = why),
  })
  await session.opened
  await session.unsubscribe(topics)
  while (session.taking() > 0 || performance.now() - last_ms < QUIET_MS) {
    if (over !== undefined) throw new Error(over)
    await wait(100)
  }
  await session.leave(0)
}
