import { type Selectable, sql } from 'kysely'
import { isIn, isPostgres } from '#server/database/dialect.ts'
import { lockedOrPassedText, rowsOf, sharedText } from '#server/database/direct.ts'
import type { Devices, Settings, Tx } from '#server/database/schema.ts'
import { writeTotals } from '#server/database/totals.ts'

const readyColumns = [
  'id',
  'company_id',
  'uid',
  'queued',
  'sticky',
  'unfinished',
  'max_sms_dayly',
  'sent_day',
  'sent_parts',
  'next_slot_at',
  'aside_until',
  'quarantined_until',
] as const

const READY_COLUMNS = readyColumns.map((column) => `devices.${column}`).join(', ')

export type ReadyDevice = Pick<Selectable<Devices>, (typeof readyColumns)[number]> &
  Pick<Settings, 'spoof_time_secs'>

/** Which devices may be given something now, of all companies: by the server at which they are connected. */
export function readinessStore(tx: Tx) {
  const openSince = latestOf(tx)

  /** Those that have room, by an order that an index has. */
  const ready = (conditions: string, order: string, limit: number, values: readonly unknown[]) =>
    rowsOf<ReadyDevice>(
      tx,
      // Who switches sending off, or changes the pace, waits for those who are giving by what was set before.
      `select ${READY_COLUMNS}, spoof_time_secs
        from devices join settings on settings.company_id = devices.company_id
        where ${CAN_TAKE} and replica = ? and ${conditions}
        order by ${order} limit ${limit}${lockedOrPassedText(tx, 'devices')}${sharedText(tx, 'settings')}`,
      values,
    )

  return {
    /**
     * Devices with something of their own waiting that may be given it now: connected, enabled, sending switched on,
     * their pacing slot open, room in their window and in the day. The one whose slot has been open longest comes first.
     */
    ownReady: (replica: string, now: string, limit: number) =>
      ready('queued + sticky > 0 and next_slot_at <= ? and send_enabled = 1', 'next_slot_at', limit, [
        replica,
        now,
      ]),

    /** Devices of a company that may be given tasks which any of them may take, in the same order. */
    sharing: (replica: string, company_id: number, now: string, limit: number) =>
      ready(`devices.company_id = ? and ${MAY_SHARE} and ${openSince} <= ?`, openSince, limit, [
        replica,
        company_id,
        now,
      ]),

    /** The same, of those that have a SIM for which tasks wait. */
    sharingSims: (replica: string, company_id: number, now: string, limit: number) =>
      ready(`${OF_SIMS} and ${MAY_SHARE} and ${openSince} <= ?`, openSince, limit, [
        replica,
        company_id,
        company_id,
        now,
      ]),

    /** Whether any linked device but this one could take a task, now or later today; one with that SIM, where one is named. */
    otherCould: async (
      { id: but, company_id }: { id: number; company_id: number },
      now: string,
      { parts, sim }: { parts: number; sim: string | undefined },
    ): Promise<boolean> => {
      const row = await tx
        .selectFrom('devices')
        .select('id')
        .where('unlinked_at', 'is', null)
        .where('company_id', '=', company_id)
        .where('id', '<>', but)
        .where(sql<boolean>`status = 'connected' and enabled = 1 and sent_parts + ${parts} <= max_sms_dayly`)
        .where((where) =>
          where.or([where('quarantined_until', 'is', null), where('quarantined_until', '<=', now)]),
        )
        .$if(sim !== undefined, (query) =>
          query.where((where) =>
            where.exists(
              where
                .selectFrom('device_sims')
                .select('device_id')
                .whereRef('device_id', '=', 'devices.id')
                .where('number', '=', sim!),
            ),
          ),
        )
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Devices that tasks wait for in vain: they are not there, or may send nothing now. */
    left: async (limit: number) => {
      await writeTotals(tx)
      return tx
        .selectFrom('devices')
        .select(['id', 'company_id'])
        .where(
          sql<boolean>`sticky > 0 and (status <> 'connected' or enabled = 0 or unlinked_at is not null
            or sent_parts >= max_sms_dayly or quarantined_until is not null)`,
        )
        .limit(limit)
        .execute()
    },

    /** Those that used up most of an earlier day, or all of it. */
    ofEarlierDays: async (day: string, limit: number): Promise<number[]> => {
      const { rows } = await sql<{ id: number }>`
        select id from devices
        where sent_parts > 0 and sent_parts * 5 >= max_sms_dayly * 4 and unlinked_at is null and sent_day < ${day}
        limit ${sql.lit(limit)}`.execute(tx)
      return rows.map(({ id }) => id)
    },

    beginDay: (ids: readonly number[], sent_day: string) =>
      tx
        .updateTable('devices')
        .set({ sent_day, sent_parts: 0 })
        .where(isIn(tx, 'id', ids))
        // One of them may have been given something today since it was looked at.
        .where('sent_day', '<', sent_day)
        .execute(),
  }
}

/** In which lanes of a company tasks wait for which a device is ready, and how many those are. */
export type CompanyToServe = { company_id: number; any: 0 | 1; sims: 0 | 1; waiting: number }

/**
 * Companies with tasks that some device of theirs may take now, whether that is any device or those of a SIM: those
 * above the id `after` first.
 */
export async function companiesToServe(
  tx: Tx,
  { replica, now, after, limit }: { replica: string; now: string; after: number; limit: number },
): Promise<CompanyToServe[]> {
  const open = `replica = ? and ${CAN_TAKE} and ${MAY_SHARE} and ${latestOf(tx)} <= ?`
  await writeTotals(tx)
  return rowsOf(
    tx,
    `select lanes.company_id, max(case when lane = '' then 1 else 0 end) as "any",
      max(case when lane <> '' then 1 else 0 end) as sims, sum(waiting) as waiting
    from lanes join settings on settings.company_id = lanes.company_id
    where lane <> 'later' and send_enabled = 1 and case
      when lane = '' then exists (
        select 1 from devices where devices.company_id = lanes.company_id and ${open})
      else exists (
        select 1 from device_sims join devices on devices.id = device_sims.device_id
        where device_sims.company_id = lanes.company_id
          and device_sims.number = substr(lane, ${SIM_AT}) and ${open}) end
    group by lanes.company_id
    order by lanes.company_id <= ?, lanes.company_id
    limit ${limit}`,
    [replica, now, replica, now, after],
  )
}

/** How many of some devices could take a task: each number counts those of the one before it. */
export type Standing = {
  total: number
  connected: number
  enabled: number
  /** Below their daily limit. */
  within: number
  /** Not in quarantine. */
  trusted: number
  /** With room in their window. */
  open: number
  /** The most SMS parts that one of those within may send today, and one of those enabled a day. */
  room: number
  most: number
  /** The name of one of them all. */
  uid: string
  /** When the last of those offline went. */
  left_at: string | null
  /** When the first quarantine of those within ends. */
  trusted_at: string | null
  /** When the first slot of those open opens. */
  open_at: string | null
}

/**
 * How far the devices of these companies come on the way to a task, as one row for each company; where SIMs are named,
 * one for each of those, by the devices that have it.
 */
export async function standings(
  tx: Tx,
  companies: readonly number[],
  { now, day }: { now: string; day: string },
  sims?: readonly string[],
): Promise<(Standing & { company_id: number; sim: string })[]> {
  const from = sims
    ? sql`devices join device_sims on device_id = devices.id and ${isIn(tx, 'number', sims)}`
    : sql`devices`
  const { rows } = await sql<Standing & { company_id: number; sim: string }>`
    select company_id, ${sims ? sql`sim` : sql`''`} as sim, count(*) as total, sum(c) as connected, sum(e) as enabled, sum(w) as within,
      sum(t) as trusted, sum(o) as open, max(w * room) as room, max(e * max_sms_dayly) as most, min(uid) as uid,
      max(case when c = 0 then status_at end) as left_at,
      min(case when w = 1 and t = 0 then quarantined_until end) as trusted_at,
      min(case when o = 1 then next_slot_at end) as open_at
    from (select d.*, case when t = 1 and unfinished < 10 then 1 else 0 end as o from (
      select d.*, case when w = 1 and coalesce(quarantined_until, '') <= ${now} then 1 else 0 end as t from (
        select d.*, case when e = 1 and room > 0 then 1 else 0 end as w from (
          select devices.company_id, ${sims ? sql`number as sim, ` : sql``}uid, status_at, quarantined_until,
            unfinished, next_slot_at, max_sms_dayly, case when status = 'connected' then 1 else 0 end as c,
            case when status = 'connected' and enabled = 1 then 1 else 0 end as e,
            max_sms_dayly - case when sent_day >= ${day} then sent_parts else 0 end as room
          from ${from}
          where unlinked_at is null and ${isIn(tx, 'devices.company_id', companies)}) as d) as d) as d) as d
    group by company_id${sims ? sql`, sim` : sql``}`.execute(tx)
  return rows
}

// To the letter as the indexes `devices_ready` and `devices_sharing` have them, so that those are used.
/** There, with room in its window of ten and in its day. */
const CAN_TAKE = `status = 'connected' and enabled = 1 and unlinked_at is null
  and unfinished < 10 and sent_parts < max_sms_dayly`
/** After a quarantine, one task at a time. */
const MAY_SHARE = '(quarantined_until is null or unfinished = 0)'
const latestOf = (tx: Tx) =>
  `${isPostgres(tx) ? 'greatest' : 'max'}(next_slot_at, aside_until, coalesce(quarantined_until, ''))`
/** Where the number begins in the name of a lane, counted from 1. */
const SIM_AT = 'sim:'.length + 1
/** The plus keeps SQLite from going through all devices of the company. */
const OF_SIMS = `+devices.company_id = ? and devices.id in (
  select device_id from lanes join device_sims
    on device_sims.company_id = lanes.company_id and device_sims.number = substr(lane, ${SIM_AT})
  where lanes.company_id = ? and lane >= 'sim:' and lane < 'sim;')`
