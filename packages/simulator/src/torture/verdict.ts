import { textOf } from '@sdd/contract/core/client.ts'
import type { Device } from '@sdd/contract/fleet/devices.ts'
import type { LogEntry } from '@sdd/contract/insight/log.ts'
import type { Submitter } from '#simulator/submitter.ts'
import { tookAir } from '#simulator/watch.ts'
import type { Sent } from './console-sender.ts'
import type { Attempt, DeviceBooks } from './device-books.ts'
import { expectedState, mayBeOnAir } from './outcome.ts'

/** The stored records of the three parties, once nothing is in flight any more. */
export type Evidence = {
  tasks: Submitter['tasks']
  sent: readonly Sent[]
  /** The server's whole log, and the records of messages with several attempts. */
  log: readonly LogEntry[]
  records: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** The server's list of devices. Today's counts can be compared only if the day did not change. */
  devices: readonly Device[]
  same_day: boolean
  books: DeviceBooks
}

/** One sentence for each contradiction or violation. */
export function judge(evidence: Evidence): string[] {
  return [
    ...missing(evidence),
    ...strangers(evidence),
    ...twice(evidence.books),
    ...forgotten(evidence),
    ...untrue(evidence),
    ...replies(evidence),
    ...devices(evidence),
  ]
}

/** Messages that were answered with 2xx and are missing, or differ from the submitted ones. */
function* missing({ tasks, sent, log }: Evidence): Generator<string> {
  const entries = new Map(log.map((entry) => [entry.guid, entry]))
  for (const { guid, text, to_number, acknowledged } of tasks.values()) {
    const entry = entries.get(guid)
    if (!entry && acknowledged) yield `${guid}: it was acknowledged, but is not in the log`
    if (entry && (entry.message !== text || entry.message_to !== to_number))
      yield `${guid}: it differs from the submitted task`
  }
  for (const { guid, text, to_number, device_uid } of sent) {
    if (guid === undefined) continue
    const entry = entries.get(guid)
    if (!entry) yield `${guid}: it was sent from the console and acknowledged, but is not in the log`
    else if (entry.message !== text || entry.message_to !== to_number || entry.device_guid !== device_uid)
      yield `${guid}: it differs from the SMS sent from the console`
  }
}

/** Messages that were not submitted, or are stored more than once. */
function* strangers({ tasks, sent, log }: Evidence): Generator<string> {
  const texts = new Set(sent.map(({ text }) => text))
  const guids = new Set<string>()
  for (const { guid, message } of log) {
    if (guids.has(guid)) yield `${guid}: it is in the log twice`
    guids.add(guid)
    if (!tasks.has(guid) && !texts.delete(message)) yield `${guid}: it was not sent, or it was stored twice`
  }
}

function* twice({ attempts }: DeviceBooks): Generator<string> {
  for (const [guid, tried] of attempts) {
    const times = tried.reduce((sum, { on_air }) => sum + on_air, 0)
    if (times > 1) yield `${guid}: it was on air ${times} times`
    for (const [index, { attempt, uid }] of tried.entries()) {
      const other = tried.findIndex((earlier) => earlier.attempt === attempt)
      if (other < index) yield `${guid}: attempt ${attempt} was given to ${tried[other]!.uid} and to ${uid}`
    }
  }
}

/** Reports that the server acknowledged without storing them, and reports that are not acknowledged. */
function* forgotten({ books, log, records }: Evidence): Generator<string> {
  if (books.waiting > 0) yield `${books.waiting} reports of devices were never acknowledged`
  const entries = new Map(log.map((entry) => [entry.guid, entry]))
  for (const [guid, tried] of books.attempts) {
    for (const { uid, attempt, reports } of tried) {
      const record = tried.length > 1 ? records.get(guid) : undefined
      const written = record ? (textOf(record, `attempt_${attempt}`) ?? '') : lineOf(entries.get(guid))
      for (const { what, committed } of reports) {
        const known = written.startsWith(`${uid} · `) && SHOWN[what.state].test(written)
        if (committed && !known)
          yield `${guid}: ${uid} got an acknowledgement for '${what.state}' of attempt ${attempt}, but the server stored '${written}'`
      }
    }
  }
}

/** The log's fields of a message's only attempt, in the form of a record. */
function lineOf(entry: LogEntry | undefined): string {
  if (entry === undefined) return ''
  const { device_guid, handed_timestamp, answer_sent_timestamp, answer_2_timestamp, state } = entry
  const settled = state === 'failed' ? 'undelivered' : `delivered ${answer_2_timestamp}`
  return [
    device_guid,
    handed_timestamp && `accepted ${handed_timestamp}`,
    answer_sent_timestamp && `sent ${answer_sent_timestamp}`,
    answer_2_timestamp && settled,
    entry.error && 'failed',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The stored form of each report; a later report may replace a failure. */
const SHOWN = {
  accepted: / · accepted \d{4}-/,
  sent: / · sent \d{4}-/,
  delivered: / · delivered \d{4}-/,
  undelivered: / · (undelivered|delivered \d{4}-)/,
  failed: / · (failed|undelivered|(sent|delivered) \d{4}-)/,
} as const

/** States in the log that the devices' records contradict. */
function* untrue({ log, books }: Evidence): Generator<string> {
  for (const entry of log) {
    const tried = books.attempts.get(entry.guid) ?? []
    const expected = expectedState(tried)
    const { guid, state } = entry
    const shown = state === 'replied' ? 'a reply' : state
    if (state === 'queued' || state === 'handed')
      yield `${guid}: it has not ended: ${entry.waiting_for ?? state}`
    else if (state !== 'replied' && state !== expected)
      yield `${guid}: it is shown ${state}, but by its devices it is ${expected}${explain(tried)}`
    const times = tried.reduce((sum, { on_air }) => sum + on_air, 0)
    if (!mayBeOnAir(entry).includes(times))
      yield `${guid}: it is shown ${shown}, but was on air ${times} times`
  }
}

function explain(tried: readonly Attempt[]): string {
  const attempts = tried.map(
    ({ attempt, uid, reports }) =>
      `${attempt} on ${uid}: ${reports.map(({ what }) => what.code ?? what.state).join(', ')}`,
  )
  return ` (${attempts.join('; ')})`
}

/** Acknowledged replies that no message shows, and shown replies that no device received. */
function* replies({ log, books }: Evidence): Generator<string> {
  const received = new Set(books.inbox.map(({ uid, what }) => `${uid} ${what.from}`))
  const answered = new Set<string>()
  for (const { guid, device_guid, message_to, answer_3_timestamp } of log) {
    if (answer_3_timestamp === null) continue
    answered.add(`${device_guid} ${message_to}`)
    if (!received.has(`${device_guid} ${message_to}`))
      yield `${guid}: it shows a reply that no device received`
  }
  for (const { uid, what, committed } of books.inbox) {
    if (committed && !answered.has(`${uid} ${what.from}`))
      yield `${uid}: the reply ${what.id} of ${what.from} was acknowledged, but no message shows it`
  }
}

function* devices({ devices, books, same_day }: Evidence): Generator<string> {
  const used = new Map<string, number>()
  for (const { uid, parts, reports } of [...books.attempts.values()].flat()) {
    const counts = reports.every(({ what }) => tookAir(what))
    if (counts) used.set(uid, (used.get(uid) ?? 0) + parts)
  }
  for (const { uid, status, queued, sent_today } of devices) {
    if (status !== 'connected') yield `${uid}: it is connected, but shown as ${status}`
    if (queued !== 0) yield `${uid}: the server shows ${queued} messages in its queue`
    const parts = used.get(uid) ?? 0
    if (same_day && sent_today !== parts)
      yield `${uid}: it sent ${parts} SMS today, but ${sent_today} are shown`
  }
}
