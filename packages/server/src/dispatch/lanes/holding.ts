import type { Tx } from '#server/database/schema.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import { type Lane, LATER } from './lane-names.ts'
import { countLanes, joinLane, type LaneChanges } from './lanes.ts'
import { laneWalk } from './store.ts'

/** Takes these messages out of their lanes, so that no device may take them until they are released. */
export async function holdMessages(
  tx: Tx,
  company_id: number,
  messages: readonly Pick<Message, 'id' | 'lane'>[],
): Promise<void> {
  const changes: LaneChanges = new Map()
  for (const { lane } of messages) joinLane(changes, lane as Lane, -1)
  joinLane(changes, LATER, messages.length)
  const ids = messages.map(({ id }) => id)
  await laneWalk(tx).move(ids, { lane: LATER, lane_until: null })
  await countLanes(tx, company_id, changes)
}

/** Lets held messages move on to the devices, each once it is due: one that is tried again may be due later. */
export async function releaseMessages(
  tx: Tx,
  messages: readonly Pick<Message, 'id' | 'due_at'>[],
  now: string,
): Promise<void> {
  for (const [lane_until, some] of Map.groupBy(messages, ({ due_at }) => (due_at! > now ? due_at! : now)))
    await laneWalk(tx).move(
      some.map(({ id }) => id),
      { lane: LATER, lane_until },
    )
}
