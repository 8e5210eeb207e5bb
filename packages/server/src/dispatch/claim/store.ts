import { lockedOrSkipped, sql } from '@sdd/storage/sql.ts'
import type { Messages, Tx } from '#server/database/schema.ts'
import { MESSAGE_COLUMNS, type MessageRow } from '#server/messages/messages/store.ts'

/** A message that waits to be given to a device. */
export type WaitingMessage = MessageRow & Pick<Messages, 'priority'>

/** For a single device: more than a window holds, so that a message too big for today hides none that fits. */
const OWN_HEAD = 30
/** For a lane that many devices serve: as many as one round gives, at most. */
export const LANE_HEAD = 100

/** The heads of a company's queues: the messages that may go now, in the order in which they go. */
export function queueHeads(tx: Tx, company_id: number, now: string) {
  return {
    ofDevice: (device_id: number) => tx.rows(OF_DEVICE, { company_id, device_id, now }),

    /** Of a lane that a single device serves. */
    ofDeviceLane: (lane: string) => tx.rows(OF_DEVICE_LANE, { company_id, lane, now }),

    ofSharedLane: (lane: string) => tx.rows(OF_SHARED_LANE, { company_id, lane, now }),
  }
}

const SELECT = `select ${MESSAGE_COLUMNS}, priority from messages where company_id = :company_id`

type InLane = { company_id: number; lane: string; now: string }
const IN_LANE = `${SELECT} and lane = :lane and expires_at > :now order by priority, id`

const OF_DEVICE = sql<WaitingMessage, { company_id: number; device_id: number; now: string }>`
  ${SELECT} and device_id = :device_id and step = 'waiting' and due_at <= :now and expires_at > :now
  order by priority, id limit ${String(OWN_HEAD)} ${lockedOrSkipped('messages')}`

const OF_DEVICE_LANE = sql<WaitingMessage, InLane>`
  ${IN_LANE} limit ${String(OWN_HEAD)} ${lockedOrSkipped('messages')}`

const OF_SHARED_LANE = sql<WaitingMessage, InLane>`
  ${IN_LANE} limit ${String(LANE_HEAD)} ${lockedOrSkipped('messages')}`
