import { lockedOrPassedText, rowsOf } from '#server/database/direct.ts'
import type { Messages, Tx } from '#server/database/schema.ts'
import { messageColumns, type MessageRow } from '#server/messages/messages/store.ts'

/** A message that waits to be given. */
export type WaitingMessage = MessageRow & Pick<Messages, 'priority'>

/** What waits for a device of a company alone and may go now, in the order in which it goes. */
export function waitingFor(
  tx: Tx,
  { id, company_id }: { id: number; company_id: number },
  now: string,
  limit: number,
): Promise<WaitingMessage[]> {
  return rowsOf(
    tx,
    `${WAITING} device_id = ? and step = 'waiting' and due_at <= ? and expires_at > ?
      order by priority, id limit ${limit}${lockedOrPassedText(tx, 'messages')}`,
    [company_id, id, now, now],
  )
}

/** The head of a lane of a company, in the order in which it goes. */
export function waitingIn(
  tx: Tx,
  { lane, company_id }: { lane: string; company_id: number },
  now: string,
  limit: number,
): Promise<WaitingMessage[]> {
  return rowsOf(
    tx,
    `${WAITING} lane = ? and expires_at > ?
      order by priority, id limit ${limit}${lockedOrPassedText(tx, 'messages')}`,
    [company_id, lane, now],
  )
}

const WAITING = `select ${messageColumns.join(', ')}, priority from messages where company_id = ? and`
