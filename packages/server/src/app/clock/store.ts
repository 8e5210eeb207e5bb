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

    /** Tasks that wait for their hours or for other devices are looked at again if they wait for such a time. */
    places: (now: string, after: string, before: string) => tx.run(PLACES, { now, after, before }),

    /** The same for rows of campaigns that wait for their hours. */
    rows: (after: string, before: string) => tx.run(ROWS, { after, before }),

    /** The same for alerts that were not told yet. */
    alerts: (now: string, after: string, before: string) => tx.run(ALERTS, { now, after, before }),

    /** SIMs whose plan began between these times. */
    plans: (after: string, before: string) => tx.rows(PLANS, { after, before }),

    /** The questions for a SIM's balance. */
    balances: (latest: string) => tx.run(BALANCES, { latest }),

    /** Tasks that wait for the device that last wrote to their number. */
    sticky: (latest: string) => tx.run(STICKY, { latest }),

    /** Commands and cancels that the server will resend. */
    async commands(latest: string): Promise<void> {
      await tx.run(RESENDS, { latest })
      await tx.run(CANCELS, { latest })
      await tx.run(CANCELS_OF_ENDED, { latest })
    },

    /** Callbacks in this round of tries. */
    callbacks: (round: number, latest: string) => tx.run(CALLBACKS, { round, latest }),

    /** Receipts and received SMS that wait for a program. */
    deliveries: (latest: string) => tx.run(DELIVERIES, { latest }),

    /** Devices whose presence changed between these times have their present status since `now`. */
    async presence(now: string, after: string, before: string): Promise<void> {
      await tx.run(NOTE_PRESENCE, { now, after, before })
      await tx.run(FORGET_PRESENCE, { after, before })
    },

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
  update capacity set next_slot_at = :latest where next_slot_at > :latest
    and device_id in (select id from devices where company_id = :company_id)`

const ASIDES = sql<never, Latest>`update capacity set aside_until = :latest where aside_until > :latest`

const QUARANTINES = sql<never, Latest>`
  update devices set quarantined_until = :latest where quarantined_until > :latest`

const DAYS = sql<never, Between & { day: string }>`
  update capacity set sent_day = :day where sent_day > :after and sent_day < :before`

const DUE = sql<never, { now: string }>`
  update queue set due_at = :now where due_at > :now
    and due_at = (select queue_timestamp from messages where messages.id = queue.id)`

const RETRIES = sql<never, Latest>`
  update queue set due_at = :latest where attempt > 0 and due_at > :latest`

const RETRIES_IN_LANE = sql<never, Latest>`
  update queue set lane_until = :latest
  where attempt > 0 and lane = 'later' and lane_until > :latest`

const PLACES = sql<never, Between & { now: string }>`
  update queue set lane_until = :now
  where lane_until > :after and lane_until < :before
    and (lane like 'tag:%' or lane like 'route:%' or (lane = 'later' and due_at <= :now))`

const ROWS = sql<never, Between>`
  update campaign_rows set due_at = coalesce(at, '')
  where state = 'pending' and due_at > :after and due_at < :before and due_at > coalesce(at, '')
    and campaign_id in (select id from campaigns where state in ('scheduled', 'running', 'paused'))`

const ALERTS = sql<never, Between & { now: string }>`
  update alert_messages set due_at = :now where state = 'waiting' and due_at > :after and due_at < :before`

const PLANS = sql<
  { id: number },
  Between
>`select id from sims where used_since > :after and used_since < :before`

const BALANCES = sql<never, Latest>`update sims set balance_due_at = :latest where balance_due_at > :latest`

const STICKY = sql<never, Latest>`
  update queue set lane_until = :latest where lane like 'device:%' and lane_until > :latest`

const RESENDS = sql<never, Latest>`
  update in_flight set look_at = :latest
  where completed_at is null and handed_timestamp is null and look_at > :latest`

const CANCELS = sql<never, Latest>`
  update in_flight set cancel_at = :latest where cancel_at > :latest`

const CANCELS_OF_ENDED = sql<never, Latest>`
  update attempts set cancel_at = :latest where finished_at is null and cancel_at > :latest`

const CALLBACKS = sql<never, Latest & { round: number }>`
  update callbacks set due_at = :latest where state = 'waiting' and round = :round and due_at > :latest`

const DELIVERIES = sql<never, Latest>`update smpp_deliveries set due_at = :latest where due_at > :latest`

const NOTE_PRESENCE = sql<never, Between & { now: string }>`
  insert into presence (device_id, at, status)
  select id, :now, status from devices
  where id in (select device_id from presence where at > :after and at < :before)
  on conflict (device_id, at) do update set status = excluded.status`

const FORGET_PRESENCE = sql<never, Between>`delete from presence where at > :after and at < :before`

const SESSIONS = sql<never, Between & { last_used_at: string; expires_at: string }>`
  update sessions set last_used_at = :last_used_at, expires_at = :expires_at
  where last_used_at > :after and last_used_at < :before`

const FAILURES = sql<never, Between>`delete from failures where failed_at > :after and failed_at < :before`
