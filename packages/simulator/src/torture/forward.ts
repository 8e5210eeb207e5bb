import type { LogEntry } from '@sdd/contract/insight/log.ts'

export type Forward = {
  /** Looks at an entry as a reader of the log saw it; answers what about it must not be. */
  see(entry: LogEntry, now: Moment): string[]
  /** Entries looked at, and how many times. */
  seen(): { entries: number; looks: number }
}

/** When it was read, and since when the server that answered has been ready: ms since 1970. */
export type Moment = { at: number; ready_at: number }

type Stage = { tries: number; rank: number; entry: LogEntry }

/** How far each state is; what is uncertain may be settled by any word that comes later. */
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

/** What is written once, and never changes or goes. */
const LASTING = [
  'message',
  'message_to',
  'queue_timestamp',
  'answer_sent_timestamp',
  'answer_2_timestamp',
] as const

/** A moment at which the server itself says that it will go on. */
const PROMISED = /(?:again at|opens at) (\d{4}-\d\d-\d\dT[\d:.]+Z)/g
/** How late it may be on a busy machine. */
const LATE_MS = 15_000

/**
 * Follows each message of the log over time, restarts included: its state only goes forward, unless it is tried again
 * and says so; what was written stays; and what waits says why, and goes on when it said that it would.
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

/** How often it went back to wait for another attempt. */
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
  if (!waiting_for) return yield `it is ${state}, and says not what it waits for`
  for (const [, promised] of waiting_for.matchAll(PROMISED)) {
    const due = Math.max(Date.parse(promised!), ready_at)
    if (at > due + LATE_MS) yield `it waits past its time: ${waiting_for}`
  }
}
