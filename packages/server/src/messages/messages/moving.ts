import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import { crashPoint } from '#server/core/crash-points.ts'
import type { Change, Counters, Figure, Tx } from '#server/database/schema.ts'
import { adjustDevices, type DeviceChanges } from '#server/fleet/devices/capacity.ts'
import { noteSent } from '#server/messages/conversations/noting.ts'
import type { Attempt, Message } from './rows.ts'
import { addToCounter } from './counters.store.ts'
import type { ReportedMessage } from './reported.store.ts'
import { changeMessage, insertMessages, newIds, type NewMessage } from './store.ts'

/** The columns that decide a message's counters: only `moveMessage` changes them. */
const countedColumns = [
  'company_id',
  'device_id',
  'queue_timestamp',
  'handed_timestamp',
  'answer_sent_timestamp',
  'answer_2_timestamp',
  'error',
  'state',
  'completed_at',
] as const satisfies readonly (keyof Message)[]
type CountedMessage = Pick<Message, (typeof countedColumns)[number]>

/** The columns that decide which callbacks a change of the message causes. */
export type MovedMessage = Pick<
  Message,
  | 'id'
  | 'guid'
  | 'task'
  | 'company_id'
  | 'silent'
  | 'state'
  | 'step'
  | 'error'
  | 'callback_url'
  | 'api_key_id'
>

/** Called after each change of a message, inside the transaction that made it. */
export type MoveListener = (tx: Tx, message: MovedMessage, change: Change<Message>) => Promise<void>

/** What a function needs to move messages. Each unit of work opens a listener of its own. */
export type MoveNeeds = { readonly clock: Clock; openMoveListener(): MoveListener }

/** The counter changes of one unit of work. They are written at its end, each in one statement. */
export type Tally = {
  readonly clock: Clock
  /** Call after each move. */
  readonly tellMoved: MoveListener
  /** Counts messages that joined this counter; a negative number left it. See `Counters`. */
  count(company_id: number, figure: Figure, period: string, key: string, messages: number): void
  /** An attempt of the device has ended, so it leaves the window. */
  release(device_id: number): void
  /** Returns SMS parts that were reserved on `day` but not transmitted. Negative `parts` count again. */
  returnParts(device_id: number, parts: number, day: string): void
  /** Call at the end of the work, or the changes are lost. */
  write(tx: Tx): Promise<void>
}

/** Stores a new message and counts it. */
export async function addMessage(tx: Tx, moving: MoveNeeds, message: NewMessage): Promise<void> {
  const ids = await newIds(tx, 1)
  await insertMessages(tx, [message], ids)
  await noteSent(tx, [message], ids)
  const tally = openTally(moving)
  countMove(tally, undefined, { ...NEW, ...message, device_id: message.device_id ?? null })
  await tally.write(tx)
  crashPoint('inserted')
}

/** Stores and counts many new messages of one company, all queued now. For `ids`, see `insertMessages`. */
export async function addMessages(
  tx: Tx,
  clock: Clock,
  messages: readonly NewMessage[],
  ids: readonly number[],
): Promise<void> {
  const [first] = messages
  if (first === undefined) return
  await insertMessages(tx, messages, ids)
  await noteSent(tx, messages, ids)
  const { company_id, queue_timestamp } = first
  const counter = { figure: 'state', period: hourOf(queue_timestamp), key: NEW.state } as const
  const last_at = instant(clock.now())
  await addToCounter(tx, { ...counter, company_id, count: messages.length, last_at })
  crashPoint('inserted')
}

/** Changes one message: see `moveAndTally`. */
export async function moveMessage(
  tx: Tx,
  moving: MoveNeeds,
  message: ReportedMessage,
  change: Change<Message>,
): Promise<void> {
  const tally = openTally(moving)
  await moveAndTally(tx, tally, message, change)
  await tally.write(tx)
}

/**
 * Changes a message and the dashboard's counters, and announces the change. Nothing else may change a message's state.
 * The tally writes the counters. For `latest`, see `changeMessage`.
 */
export async function moveAndTally(
  tx: Tx,
  tally: Tally,
  message: ReportedMessage,
  change: Change<Message>,
  latest?: Attempt,
): Promise<void> {
  await changeMessage(tx, message, change, latest)
  countMove(tally, message, afterwards(message, change), change)
  await tally.tellMoved(tx, message, change)
}

export function openTally({ clock, openMoveListener }: MoveNeeds): Tally {
  const counters = new Map<string, Omit<Counters, 'last_at'>>()
  const devices: DeviceChanges = new Map()

  return {
    clock,
    tellMoved: openMoveListener(),
    count(company_id, figure, period, key, messages) {
      const name = `${figure} ${company_id} ${period} ${key}`
      const counter = counters.get(name)
      if (counter === undefined) counters.set(name, { figure, company_id, period, key, count: messages })
      else counter.count += messages
    },
    release: (device_id) => void changeOf(device_id).finished++,
    returnParts(device_id, parts, day) {
      if (parts !== 0) changeOf(device_id).unused.push({ parts, day })
    },
    async write(tx) {
      const last_at = instant(clock.now())
      for (const counter of counters.values())
        if (counter.count !== 0) await addToCounter(tx, { ...counter, last_at })
      if (devices.size > 0) await adjustDevices(tx, devices)
    },
  }

  function changeOf(device_id: number) {
    return devices.getOrInsertComputed(device_id, () => ({ finished: 0, unused: [] }))
  }
}

/** Spreading rows of SQLite is slow, and most of their columns do not matter to the counters. */
function afterwards(message: CountedMessage, change: Change<Message>): CountedMessage {
  const after: Record<string, unknown> = {}
  for (const column of countedColumns)
    after[column] = change[column] === undefined ? message[column] : change[column]
  return after as CountedMessage
}

/** Outcomes for the counters of a day. A cancelled message was neither sent nor failed. */
const SENT: readonly MessageState[] = ['sent', 'delivered', 'replied']
const FAILED: readonly MessageState[] = ['failed', 'uncertain', 'expired']

const NEW = {
  state: 'queued',
  handed_timestamp: null,
  answer_sent_timestamp: null,
  answer_2_timestamp: null,
  error: null,
  completed_at: null,
} as const

/** Decides a message's counter for a figure by its period (from `time`) and `key`. If either is null, no counter. */
type Counting = {
  /** The columns that these read: if none of them changes, neither does the counter. */
  reads: readonly (keyof CountedMessage)[]
  time(message: CountedMessage): string | null
  period(time: string, clock: Clock): string
  key(message: CountedMessage): string | null
}

/** By the hour in which the message was queued. */
const byWay = (reads: Counting['reads'], key: Counting['key']): Counting => ({
  reads,
  time: ({ queue_timestamp }) => queue_timestamp,
  period: hourOf,
  key,
})
/** By the day on which the message ended. */
const byEnd = (key: Counting['key']): Counting => ({
  reads: ['completed_at', 'device_id', 'error', 'state'],
  time: ({ completed_at }) => completed_at,
  period: (time, clock) => clock.day(Date.parse(time)),
  key,
})
const byDevice = (states: readonly MessageState[]) =>
  byEnd(({ state, device_id }) => (device_id !== null && states.includes(state) ? String(device_id) : null))

const COUNTED: readonly (readonly [Figure, Counting])[] = [
  ['state', byWay(['state'], ({ state }) => state)],
  [
    'handover',
    byWay(['handed_timestamp'], ({ queue_timestamp, handed_timestamp }) =>
      bucketBetween(queue_timestamp, handed_timestamp),
    ),
  ],
  [
    'delivery',
    // A message that the network did not deliver has the time of that report, and an error too.
    byWay(
      ['answer_sent_timestamp', 'answer_2_timestamp', 'error'],
      ({ answer_sent_timestamp, answer_2_timestamp, error }) =>
        error === null ? bucketBetween(answer_sent_timestamp, answer_2_timestamp) : null,
    ),
  ],
  ['sent', byDevice(SENT)],
  ['delivered', byDevice(['delivered', 'replied'])],
  ['failed', byDevice(FAILED)],
  ['uncertain', byDevice(['uncertain'])],
  ['failure', byEnd(({ state, error }) => (FAILED.includes(state) ? (error ?? state) : null))],
]

function bucketBetween(from: string | null, until: string | null): string | null {
  return from === null || until === null ? null : String(bucketOf(Date.parse(until) - Date.parse(from)))
}

/**
 * Moves the message from its earlier counters to its present ones. A recount of the messages would always give the same
 * counters.
 */
function countMove(
  { clock, count }: Tally,
  before: CountedMessage | undefined,
  after: CountedMessage,
  change?: Change<Message>,
): void {
  for (const [figure, { reads, time, period, key }] of COUNTED) {
    if (change && !reads.some((column) => change[column] !== undefined)) continue
    const [from, was] = before === undefined ? [null, null] : [time(before), key(before)]
    const [until, is] = [time(after), key(after)]
    if (from === until && was === is) continue
    if (from !== null && was !== null) count(after.company_id, figure, period(from, clock), was, -1)
    if (until !== null && is !== null) count(after.company_id, figure, period(until, clock), is, 1)
  }
}

/** The period of a time, `YYYY-MM-DDTHH` in UTC. */
export function hourOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DDTHH'.length)
}

/** Each bucket is wider than the one before by this factor: its middle is at most 7 % off any duration in it. */
const RATIO = 1.15

/** The bucket of a duration in ms: 0 below a millisecond, then logarithmic. A negative one (two clocks) is zero. */
export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : Math.floor(Math.log(ms) / Math.log(RATIO)) + 1
}

/**
 * The duration in ms that the share `rank` (0 to 1) of the counted messages does not exceed; `undefined` if there are
 * none. `counts` are by bucket, in any order.
 */
export function quantile(
  counts: Iterable<readonly [bucket: number, count: number]>,
  rank: number,
): number | undefined {
  const sorted = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b)
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.max(1, Math.ceil(total * rank))
  for (const [bucket, count] of sorted) {
    left -= count
    if (left <= 0) return middleOf(bucket)
  }
  return undefined
}

function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : RATIO ** (bucket - 0.5)
}
