import type { MessageState } from '@sdd/contract/messages.ts'
import { tellOf, type Told } from '#server/callbacks/telling.ts'
import { bucketOf } from '#server/core/buckets.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import { pass } from '#server/core/points.ts'
import type { Change, Figure, Messages, Tx } from '#server/database/schema.ts'
import { type Books, openBooks, type Place } from './books.ts'
import { type Counted, countedColumns, counterStore, messageStore, type NewMessage } from './store.ts'

/** Stores a new message and counts it. */
export async function addMessage(tx: Tx, clock: Clock, message: NewMessage): Promise<void> {
  await messageStore(tx, message).insert(message)
  const books = openBooks(clock)
  countMove(books, undefined, { ...NOTHING_YET, ...message })
  await books.write(tx)
  pass('inserted')
}

/** Stores many new messages of one company, all queued now, and counts them at once. */
export async function addMessages(tx: Tx, clock: Clock, messages: readonly NewMessage[]): Promise<void> {
  const [first] = messages
  if (first === undefined) return
  await messageStore(tx, first).insertAll(messages)
  const { company_id, state, queue_timestamp } = first
  const counter = { figure: 'state', period: hourOf(queue_timestamp), key: state } as const
  const last_at = instant(clock.now())
  await counterStore(tx).add({ ...counter, company_id, count: messages.length, last_at })
  pass('inserted')
}

/** Changes one message: see `moveInBooks`. */
export async function moveMessage(
  tx: Tx,
  clock: Clock,
  message: Counted & Told,
  change: Change<Messages>,
): Promise<void> {
  const books = openBooks(clock)
  await moveInBooks(tx, books, message, change)
  await books.write(tx)
}

/**
 * Changes a message, and with it the dashboard's counters, and tells whom it concerns of a task: the one way in which a
 * message's state changes. The counters are the books' to write.
 */
export async function moveInBooks(
  tx: Tx,
  books: Books,
  message: Counted & Told,
  change: Change<Messages>,
): Promise<void> {
  await messageStore(tx, message).move(message.id, differing(message, change))
  countMove(books, message, afterwards(message, change))
  await tellOf(tx, books, message, change)
}

/** What stays as it is would be written all the same, and each index with it. */
function differing(message: Counted & Told, change: Change<Messages>): Change<Messages> {
  const before = message as unknown as Record<string, unknown>
  return Object.fromEntries(Object.entries(change).filter(([column, value]) => before[column] !== value))
}

/** Rows of SQLite are slow to spread, and most of their columns count for nothing. */
function afterwards(message: Counted, change: Change<Messages>): Counted {
  const after: Record<string, unknown> = {}
  for (const column of countedColumns)
    after[column] = change[column] === undefined ? message[column] : change[column]
  return after as Counted
}

/** How a message ended, for the counters of a day. One that was cancelled was neither sent, nor did anything fail. */
const SENT: readonly MessageState[] = ['sent', 'delivered', 'replied']
const FAILED: readonly MessageState[] = ['failed', 'uncertain', 'expired']

const NOTHING_YET = {
  device_id: null,
  handed_timestamp: null,
  answer_sent_timestamp: null,
  answer_2_timestamp: null,
  error: null,
  completed_at: null,
}

/**
 * Takes the message out of the counters in which it was, and puts it into those in which it is. So the counters are at
 * any time what a recount of the messages would give.
 */
function countMove(books: Books, before: Counted | undefined, after: Counted): void {
  const { clock } = books
  if (before !== undefined)
    for (const place of placesOf(before, clock)) books.count(after.company_id, place, -1)
  for (const place of placesOf(after, clock)) books.count(after.company_id, place, 1)
}

function placesOf(message: Counted, clock: Clock): Place[] {
  return [...placesOfWay(message), ...placesOfEnd(message, clock)]
}

/** The period of a time, `YYYY-MM-DDTHH` in UTC. */
export function hourOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DDTHH'.length)
}

/** By the hour in which it was queued. */
function placesOfWay(message: Counted): Place[] {
  const { state, queue_timestamp, handed_timestamp, answer_sent_timestamp, answer_2_timestamp } = message
  const period = hourOf(queue_timestamp)
  const places: Place[] = [{ figure: 'state', period, key: state }]
  const time = (figure: Figure, from: string, until: string) =>
    places.push({ figure, period, key: String(bucketOf(Date.parse(until) - Date.parse(from))) })
  if (handed_timestamp !== null) time('handover', queue_timestamp, handed_timestamp)
  // A message that the network did not deliver has the time of that report, and an error.
  if (answer_sent_timestamp !== null && answer_2_timestamp !== null && message.error === null) {
    time('delivery', answer_sent_timestamp, answer_2_timestamp)
  }
  return places
}

/** By the day in which it ended. */
function placesOfEnd({ state, device_id, error, completed_at }: Counted, clock: Clock): Place[] {
  if (completed_at === null) return []
  const period = clock.day(Date.parse(completed_at))
  const places: Place[] = []
  const device = (figure: Figure) => {
    if (device_id !== null) places.push({ figure, period, key: String(device_id) })
  }
  if (SENT.includes(state)) device('sent')
  if (state === 'delivered' || state === 'replied') device('delivered')
  if (FAILED.includes(state)) {
    device('failed')
    places.push({ figure: 'failure', period, key: error ?? state })
  }
  return places
}
