import { type Clock, instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { type Actor, addEntry, type Change } from './audit.ts'
import { auditStore, burstStore, type GatheringEntry } from './store.ts'

/** How long an entry gathers repetitions. */
export const BURST_MS = 60_000
/** Entries of one kind of burst within that time, however many bursts there are: floods come from many addresses. */
const MOST_OF_A_KIND = 100
/** Of a burst, what no other entry gathers. */
export const REST = 'the rest'

/** Entries that are limited together, for they could be many. */
export type Burst = {
  /** `failed logins from` */
  kind: string
  /** `192.0.2.1` */
  of: string
  /** Entries within a minute. */
  most: number
  /** What repetitions have in common: one entry gathers them, and says how `times` they were. */
  what: string
  /** The last entry: it gathers what the others do not, and says how many there were of all. */
  rest: { by: Actor; change: Change }
}

/**
 * Writes an entry into the audit log, or adds to one of the last minute: `most` entries of one burst at most, whichever
 * server writes them. Holds the burst until the commit.
 */
export async function recordInBurst(
  tx: Tx,
  clock: Clock,
  by: Actor,
  change: Change,
  { kind, of, most, what, rest }: Burst,
  times = 1,
): Promise<void> {
  const now_ms = clock.now()
  const at = instant(now_ms)
  const span = burstSpan(now_ms)
  const bursts = burstStore(tx, `${kind} ${of}`)
  const entries = await bursts.hold(span)
  const add = async (name: string, entry: { by: Actor; change: Change }, count: number) => {
    const entry_id = await addEntry(tx, clock, entry.by, withTimes(entry.change, count))
    await bursts.insert({ what: name, entry_id, at, times: count })
  }
  const last = entries.find((entry) => entry.what === REST)
  if (last) await gather(tx, bursts, last, times)
  const known = entries.find((entry) => entry.what === what && what !== REST)
  if (known) return gather(tx, bursts, known, times)
  if (last) return
  const crowded = what === REST || entries.length >= most - 1
  if (crowded)
    return add(
      REST,
      rest,
      entries.reduce((sum, entry) => sum + entry.times, times),
    )
  if ((await bursts.count(kind, span)) < MOST_OF_A_KIND) return add(what, { by, change }, times)
  await recordInBurst(tx, clock, by, change, everywhere({ kind, rest }, change), times)
}

const EVERYWHERE = 'everywhere'

/** Of a kind of which too many are under way at once. It is nobody's. */
export function everywhere({ kind }: Pick<Burst, 'kind' | 'rest'>, { action }: Change): Burst {
  const rest = { by: { name: null, address: null }, change: { company_id: null, action, name: null } }
  return { kind, of: EVERYWHERE, most: 1, what: REST, rest }
}

/** Between which times entries gather. None is later than a minute from now, but where a clock was set back. */
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
  // Retention may have been there.
  if (changes === undefined) return
  const { changes: all } = withTimes({ changes: JSON.parse(changes) as Change['changes'] }, times)
  await entries.setChanges(entry.entry_id, JSON.stringify(all))
}

function withTimes<Part extends Pick<Change, 'changes'>>(change: Part, times: number): Part {
  if (times === 1) return change
  return { ...change, changes: { ...change.changes, times: { from: null, to: times } } }
}
