import type { Tx } from '#server/database/schema.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import { countLanes, homeLane, joinLane, type Lane, type LaneChanges, LATER } from './lanes.ts'
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

/** Gives held messages back to the devices. One that is due later, as it is tried again, waits until then. */
export async function releaseMessages(
  tx: Tx,
  company_id: number,
  messages: readonly Pick<Message, 'id' | 'due_at' | 'from_number' | 'via'>[],
  now: string,
): Promise<void> {
  const changes: LaneChanges = new Map()
  for (const [lane, some] of Map.groupBy(messages, (message) =>
    message.due_at! > now ? LATER : homeLane(message),
  )) {
    for (const { id, due_at } of some)
      await laneWalk(tx).move([id], { lane, lane_until: lane === LATER ? due_at : null })
    joinLane(changes, LATER, -some.length)
    joinLane(changes, lane, some.length)
  }
  await countLanes(tx, company_id, changes)
}
