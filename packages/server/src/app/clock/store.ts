import { sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'

/**
 * Corrects times that the server set itself, in rows of all companies. None may be further ahead than the rules ever
 * set it.
 */
export function clockStore(tx: Tx) {
  return {
    /** The pacing slots of a company's devices. */
    slots: (company_id: number, latest: string) => tx.run(SLOTS, { company_id, latest }),

    asides: (latest: string) => tx.run(ASIDES, { latest }),

    quarantines: (latest: string) => tx.run(QUARANTINES, { latest }),

    /** Messages counted on a day between these two now count on `day`. */
    days: (day: string, after: string, before: string) => tx.run(DAYS, { day, after, before }),

    /** Messages that were due when they were stored. */
    due: (now: string) => tx.run(DUE, { now }),

    /** Messages that wait for a retry. */
    async retries(latest: string): Promise<void> {
      await tx.run(RETRIES, { latest })
      await tx.run(RETRIES_IN_LANE, { latest })
    },

    /** Tasks that wait for the device that last wrote to their number. */
    sticky: (latest: string) => tx.run(STICKY, { latest }),

    /** Commands and cancels that the server will resend. */
    async commands(latest: string): Promise<void> {
      await tx.run(RESENDS, { latest })
      await tx.run(CANCELS, { latest })
    },

    /** Callbacks in this round of tries. */
    callbacks: (round: number, latest: string) => tx.run(CALLBACKS, { round, latest }),

    /** Sessions last used between these times count as used now. */
    sessions: (used: { last_used_at: string; expires_at: string }, after: string, before: string) =>
      tx.run(SESSIONS, { ...used, after, before }),

    /** Tries that failed between these times no longer count. */
    failures: (after: string, before: string) => tx.run(FAILURES, { after, before }),
  }
}

type Latest = { latest: string }
type Between = { after: string; before: string }

const SLOTS = sql<never, Latest & { company_id: number }>`
  update devices set next_slot_at = :latest where company_id = :company_id and next_slot_at > :latest`

const ASIDES = sql<never, Latest>`update devices set aside_until = :latest where aside_until > :latest`

const QUARANTINES = sql<never, Latest>`
  update devices set quarantined_until = :latest where quarantined_until > :latest`

const DAYS = sql<never, Between & { day: string }>`
  update devices set sent_day = :day where sent_day > :after and sent_day < :before`

/** The second condition follows from the first, but SQLite needs it to see that its index applies. */
const WAITING = `step = 'waiting' and step <> 'finished'`

const DUE = sql<never, { now: string }>`
  update messages set due_at = :now where ${WAITING} and due_at > :now and due_at = queue_timestamp`

const RETRIES = sql<never, Latest>`
  update messages set due_at = :latest where ${WAITING} and attempt > 0 and due_at > :latest`

const RETRIES_IN_LANE = sql<never, Latest>`
  update messages set lane_until = :latest
  where ${WAITING} and attempt > 0 and lane = 'later' and lane_until > :latest`

const STICKY = sql<never, Latest>`
  update messages set lane_until = :latest where ${WAITING} and lane like 'device:%' and lane_until > :latest`

const RESENDS = sql<never, Latest>`
  update attempts set resend_at = :latest where finished_at is null and resend_at > :latest`

const CANCELS = sql<never, Latest>`
  update attempts set cancel_at = :latest where finished_at is null and cancel_at > :latest`

const CALLBACKS = sql<never, Latest & { round: number }>`
  update callbacks set due_at = :latest where state = 'waiting' and round = :round and due_at > :latest`

const SESSIONS = sql<never, Between & { last_used_at: string; expires_at: string }>`
  update sessions set last_used_at = :last_used_at, expires_at = :expires_at
  where last_used_at > :after and last_used_at < :before`

const FAILURES = sql<never, Between>`delete from failures where failed_at > :after and failed_at < :before`
