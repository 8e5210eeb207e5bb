import { limit, locked, sql, tuples } from '@sdd/storage/sql.ts'
import type { Presence, PresenceGaps } from '#server/database/device-tables.ts'
import type { Tx } from '#server/database/schema.ts'

/** When devices connected and disconnected, and when no server was there to note it. */
export function presenceHistory(tx: Tx) {
  return {
    note: (device_id: number, status: Presence['status'], at: string) =>
      tx.put('presence', { device_id, at }, { status }),

    /** All connected devices disconnect. Call it before their rows change. */
    noteAllGone: (at: string) => tx.run(NOTE_ALL_GONE, { at }),

    /** The newest changes before `to`, the newest first: at most `most`, back to the last one until `from`. */
    changes: (device_id: number, from: string, to: string, most: number) =>
      tx.rows(CHANGES, { device_id, from, to, limit: most }),

    /** Gaps that overlap this time, oldest first. */
    gaps: (from: string, to: string) => tx.rows(GAPS, { from, to }),

    /** When a server last said that it runs, locked until the commit. `undefined` if none ever did. */
    lastAlive: async (): Promise<string | undefined> => (await tx.first(OPEN_GAP))?.began_at,

    begin: (now: string) => tx.run(BEGIN, { now }),
    goOn: (now: string) => tx.run(GO_ON, { now }),
    endGap: (now: string) => tx.run(END_GAP, { now }),

    /** Changes before this time that no longer matter, since a later one before it, or an unlinking, replaced them. */
    replaced: (before: string, most: number) => tx.rows(REPLACED, { before, limit: most }),

    async forget(changes: readonly Pick<Presence, 'device_id' | 'at'>[]): Promise<void> {
      const rows = changes.map(({ device_id, at }) => [device_id, at] as const)
      await tx.run(FORGET, { changes: rows })
    },

    forgetGaps: (before: string) => tx.run(FORGET_GAPS, { before }),
  }
}

const NOTE_ALL_GONE = sql<never, { at: string }>`
  insert into presence (device_id, at, status)
  select id, :at, 'disconnected' from devices where status = 'connected'
  on conflict (device_id, at) do update set status = excluded.status`

const CHANGES = sql<
  Pick<Presence, 'at' | 'status'>,
  { device_id: number; from: string; to: string; limit: number }
>`
  select at, status from presence where device_id = :device_id and at < :to and at >= coalesce(
    (select max(at) from presence where device_id = :device_id and at <= :from), :from)
  order by at desc ${limit()}`

const GAPS = sql<{ began_at: string; ended_at: string }, { from: string; to: string }>`
  select began_at, ended_at from presence_gaps
  where ended_at > :from and began_at < :to order by began_at`

const OPEN_GAP = sql<Pick<PresenceGaps, 'began_at'>>`
  select began_at from presence_gaps where ended_at is null ${locked('presence_gaps')}`

const BEGIN = sql<never, { now: string }>`
  insert into presence_gaps (began_at) values (:now) on conflict do nothing`

const GO_ON = sql<never, { now: string }>`update presence_gaps set began_at = :now where ended_at is null`

const END_GAP = sql<never, { now: string }>`update presence_gaps set ended_at = :now where ended_at is null`

const REPLACED = sql<Pick<Presence, 'device_id' | 'at'>, { before: string; limit: number }>`
  select device_id, at from presence where at < :before and (
    exists (select 1 from presence later
      where later.device_id = presence.device_id and later.at > presence.at and later.at <= :before)
    or exists (select 1 from devices where devices.id = presence.device_id and unlinked_at is not null))
  order by at ${limit()}`

const FORGET = sql<never, { changes: readonly (readonly [device_id: number, at: string])[] }>`
  with old (device_id, at) as (${tuples('changes', ['bigint', 'text'])})
  delete from presence where (device_id, at) in (select device_id, at from old)`

const FORGET_GAPS = sql<never, { before: string }>`delete from presence_gaps where ended_at < :before`
