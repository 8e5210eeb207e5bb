import type { LogEntry } from '@sdd/contract/insight/log.ts'

type Forward = {
  /** Checks an entry that a reader of the log saw; returns its faults. */
  see(entry: LogEntry, now: Moment): string[]
  /** The number of entries, and how often they were read. */
  seen(): { entries: number; looks: number }
}

/** When it was read, and since when the server has been ready: ms since 1970. */
export type Moment = { at: number; ready_at: number }

type Stage = { tries: number; rank: number; entry: LogEntry }

/** The order of the states; any later report may settle `uncertain`. */
const RANK: Record<LogEntry['state'], number> = {
  queued: 0,
  handed: 1,
  expired: 2,
  cancelled: 2,
  uncertain: 3,
  failed: 4,
  sent: 5,
  delivered: 7,
  replied: 8,
}
const NOT_DELIVERED = 6

/** Fields that are written once, and never change or disappear. */
const LASTING = [
  'message',
  'message_to',
  'queue_timestamp',
  'answer_sent_timestamp',
  'answer_2_timestamp',
] as const

/** A time at which the server promises to continue. */
const PROMISED = /(?:again at|opens at) (\d{4}-\d\d-\d\dT[\d:.]+Z)/g
/** The tolerance for a busy machine. */
const LATE_MS = 15_000

/**
 * Follows each message of the log over time, also across restarts. Its state only advances, unless it is retried and
 * its notes say so. Written fields stay. A waiting message gives a reason, and continues at the promised time.
 */
export function openForward(): Forward {
  const stages = new Map<string, Stage>()
  let looks = 0

  function see(entry: LogEntry, now: Moment): string[] {
    looks++
    const faults = [...wait(entry, now)]
    const stage = { tries: triesOf(entry), rank: rankOf(entry), entry }
    const before = stages.get(entry.guid)
    if (before) faults.push(...change(before, stage))
    stages.set(entry.guid, stage)
    return faults.map((fault) => `${entry.guid}: ${fault}`)
  }

  return { see, seen: () => ({ entries: stages.size, looks }) }
}

export function rankOf({
  state,
  answer_2_timestamp,
}: Pick<LogEntry, 'state' | 'answer_2_timestamp'>): number {
  return state === 'failed' && answer_2_timestamp !== null ? NOT_DELIVERED : RANK[state]
}

/** How often the message went back to wait for another attempt. */
function triesOf({ notes }: LogEntry): number {
  return notes?.match(/it is tried again at/g)?.length ?? 0
}

function* change(before: Stage, now: Stage): Generator<string> {
  const back = now.tries < before.tries || (now.tries === before.tries && now.rank < before.rank)
  if (back) yield `it went back from ${before.entry.state} to ${now.entry.state}`
  for (const field of LASTING) {
    const [was, is] = [before.entry[field], now.entry[field]]
    if (was !== null && is !== was) yield `its ${field} changed from ${was} to ${is}`
  }
  const forgot = before.entry.notes !== null && !now.entry.notes?.startsWith(before.entry.notes)
  if (forgot) yield `its notes were rewritten`
}

function* wait({ state, waiting_for }: LogEntry, { at, ready_at }: Moment): Generator<string> {
  if (state !== 'queued' && state !== 'handed') return
  if (!waiting_for) return yield `it is ${state}, but gives no reason for waiting`
  for (const [, promised] of waiting_for.matchAll(PROMISED)) {
    const due = Math.max(Date.parse(promised!), ready_at)
    if (at > due + LATE_MS) yield `it waits past its time: ${waiting_for}`
  }
}
