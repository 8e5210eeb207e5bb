import type { Logger } from 'pino'
import type { Clock } from '#server/core/clock.ts'
import { startLoop } from '#server/core/loop.ts'
import { unlessRefused } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Live } from '#server/core/live.ts'
import type { Actor, AuditChange } from './audit.ts'
import { BURST_MS, type Burst, burstSpan, sharedBurst, recordInBurst, REST_KEY } from './bursts.ts'
import { forgetBursts } from './store.ts'

/** Writes audit entries that a flood could request in any number. */
export type AuditBatch = {
  /**
   * Resolves once the first entry of its kind is written. A repetition is only counted: it costs no commit of its own,
   * as repetitions are written together every second. Also resolves if the entry cannot be written because the disk is
   * full.
   */
  note(by: Actor, change: AuditChange, burst: Burst): Promise<void>
  /** Writes the repetitions counted so far. */
  stop(): Promise<void>
}

const WRITE_EVERY_MS = 1_000
/** The most bursts to remember. All further bursts share one. */
const MOST_BURSTS = 1_000

type Noted = { by: Actor; change: AuditChange; burst: Burst }
type Seen = Noted & { at_ms: number; pending: number }

export function openAuditBatch(needs: { db: Database; clock: Clock; live: Live; log: Logger }): AuditBatch {
  const { db, clock, live, log } = needs
  /** The entries of the last minute, by burst and by the key of the repetition. */
  const bursts = new Map<string, Map<string, Seen>>()
  let forgot_ms = clock.now()
  const loop = startLoop({
    name: 'gathered audit entries',
    every_ms: WRITE_EVERY_MS,
    log,
    work: writePending,
  })

  function isOver({ at_ms }: Seen): boolean {
    return Math.abs(clock.now() - at_ms) >= BURST_MS
  }

  /** The entry that this repeats, and the place to count it if it is the first. */
  function find({ burst }: Noted): { seen: Map<string, Seen>; name: string; found: Seen | undefined } {
    const seen = bursts.getOrInsertComputed(`${burst.kind} ${burst.of}`, () => new Map())
    for (const [name, one] of seen) if (isOver(one) && one.pending === 0) seen.delete(name)
    const full = !seen.has(burst.what) && seen.size >= burst.most - 1
    const name = full ? REST_KEY : burst.what
    return { seen, name, found: seen.get(name) }
  }

  async function write({ by, change, burst }: Noted, times: number): Promise<void> {
    await db.write((tx) => recordInBurst(tx, clock, by, change, burst, times))
    // Superadmins are notified of each entry.
    live.changed(change.company_id ?? 0, 'audit')
  }

  async function writePending(): Promise<void> {
    for (const [name, seen] of bursts) {
      for (const [what, one] of seen) {
        const { pending } = one
        if (pending > 0) {
          one.pending = 0
          await write(one, pending).catch((error: unknown) => {
            one.pending += pending
            throw error
          })
        }
        if (isOver(one) && one.pending === 0) seen.delete(what)
      }
      if (seen.size === 0) bursts.delete(name)
    }
    if (Math.abs(clock.now() - forgot_ms) < BURST_MS) return
    forgot_ms = clock.now()
    await db.write((tx) => forgetBursts(tx, burstSpan(forgot_ms)))
  }

  return {
    async note(by, change, asked) {
      const known = bursts.has(`${asked.kind} ${asked.of}`) || bursts.size < MOST_BURSTS
      const burst = known ? asked : sharedBurst(asked, change)
      const noted = { by, change, burst }
      const { seen, name, found } = find(noted)
      if (found) {
        found.pending++
        return
      }
      const gathered = { ...noted, burst: { ...burst, what: name } }
      seen.set(name, { ...gathered, at_ms: clock.now(), pending: 0 })
      await write(gathered, 1).catch(unlessRefused)
    },
    async stop() {
      await loop.stop()
      await writePending().catch(unlessRefused)
    },
  }
}
