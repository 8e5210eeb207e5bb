import { type Clock, instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { type Actor, addEntry, type AuditChange } from './audit.ts'
import { auditStore, burstStore, type GatheringEntry } from './store.ts'

/** For this long an entry gathers repetitions. */
export const BURST_MS = 60_000
/** A limit for all bursts of one kind within that time, for floods from many addresses or sessions. */
export const MOST_OF_A_KIND = 100
/** The key of a burst's last entry, which gathers everything that has no entry of its own. */
export const REST_KEY = 'the rest'

/** Entries that share a limit because there could be very many. */
export type Burst = {
  /** `failed logins from` */
  kind: string
  /** `192.0.2.1` */
  of: string
  /** Entries within a minute. */
  most: number
  /** Entries of all bursts of this kind within a minute. Without it, no burst takes entries from another one. */
  most_of_kind?: number
  /** The key of a repetition. One entry gathers all with the same key and counts them in `times`. */
  what: string
  /** The last entry. It gathers repetitions without an entry of their own; its `times` counts the whole burst. */
  rest: { by: Actor; change: AuditChange }
}

/**
 * Writes an entry into the audit log, or counts it in an entry of the last minute. All servers together write at most
 * `most` entries of one burst. Locks the burst until the commit.
 */
export async function recordInBurst(
  tx: Tx,
  clock: Clock,
  by: Actor,
  change: AuditChange,
  { kind, of, most, most_of_kind, what, rest }: Burst,
  times = 1,
): Promise<void> {
  const now_ms = clock.now()
  const at = instant(now_ms)
  const span = burstSpan(now_ms)
  const bursts = burstStore(tx, `${kind} ${of}`)
  const entries = await bursts.hold(span)
  const add = async (name: string, entry: { by: Actor; change: AuditChange }, count: number) => {
    const entry_id = await addEntry(tx, clock, entry.by, withTimes(entry.change, count))
    await bursts.insert({ what: name, entry_id, at, times: count })
  }
  const last = entries.find((entry) => entry.what === REST_KEY)
  if (last) await gather(tx, bursts, last, times)
  const known = entries.find((entry) => entry.what === what && what !== REST_KEY)
  if (known) return gather(tx, bursts, known, times)
  if (last) return
  const crowded = what === REST_KEY || entries.length >= most - 1
  if (crowded)
    return add(
      REST_KEY,
      rest,
      entries.reduce((sum, entry) => sum + entry.times, times),
    )
  if (most_of_kind === undefined || (await bursts.count(kind, span)) < most_of_kind)
    return add(what, { by, change }, times)
  await recordInBurst(tx, clock, by, change, sharedBurst({ kind, rest }, change), times)
}

const EVERYWHERE = 'everywhere'

/** The shared burst of a kind that has too many bursts at once. It belongs to no user. */
export function sharedBurst({ kind }: Pick<Burst, 'kind' | 'rest'>, { action }: AuditChange): Burst {
  const rest = { by: { name: null, address: null }, change: { company_id: null, action, name: null } }
  return { kind, of: EVERYWHERE, most: 1, what: REST_KEY, rest }
}

/** The time span within which entries gather. Only a clock that was set back makes an entry later than now. */
export function burstSpan(now_ms: number): { since: string; until: string } {
  return { since: instant(now_ms - BURST_MS), until: instant(now_ms + BURST_MS) }
}

async function gather(
  tx: Tx,
  bursts: ReturnType<typeof burstStore>,
  entry: GatheringEntry,
  more: number,
): Promise<void> {
  const times = entry.times + more
  await bursts.update(entry.what, { times })
  const entries = auditStore(tx, 'all')
  const changes = await entries.changesOf(entry.entry_id)
  // Retention may have removed the entry.
  if (changes === undefined) return
  const { changes: all } = withTimes({ changes: JSON.parse(changes) as AuditChange['changes'] }, times)
  await entries.setChanges(entry.entry_id, JSON.stringify(all))
}

function withTimes<Part extends Pick<AuditChange, 'changes'>>(change: Part, times: number): Part {
  if (times === 1) return change
  return { ...change, changes: { ...change.changes, times: { from: null, to: times } } }
}
