import { isIn, limit, lockedOrSkipped, perEngine, shared, sql, when } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import { type Total, total } from '@sdd/storage/totals.ts'
import { type Change, type Devices, type Settings, TOTALS_ORDER, type Tx } from '#server/database/schema.ts'

/** Devices of all companies that a server may give messages to now. */
export function capacityStore(tx: Tx) {
  return {
    /**
     * Devices that may be given their own waiting messages now: connected, enabled, sending on, pacing slot open, and
     * room in the window and the day. The longest open slot comes first.
     */
    ownReady: (ready: Ready) => tx.rows(OWN_READY, ready),

    /** Devices that may be given the company's tasks for any device, or else those for a SIM. Same order. */
    sharing: (
      { company_id, any }: Pick<CompanyToServe, 'company_id' | 'any'>,
      { replica, now, limit }: Ready,
    ) => tx.rows(any === 1 ? SHARING : SHARING_SIMS, { company_id, replica, now, limit }),

    /** Whether another linked device could take a task, now or later today; with `sim`, one with that SIM. */
    otherCould: async (
      { id: but, company_id }: { id: number; company_id: number },
      now: string,
      { parts, sim }: { parts: number; sim: string | undefined },
    ): Promise<boolean> => (await tx.first(OTHER, { but, company_id, now, parts, sim })) !== undefined,

    /** Devices with waiting tasks that are offline, or may send nothing now. */
    left: async (most: number) => {
      await tx.writeTotals()
      return tx.rows(LEFT, { limit: most })
    },

    /** Devices that used up an earlier day, or most of it. */
    ofEarlierDays: async (day: string, most: number): Promise<number[]> => {
      const rows = await tx.rows(OF_EARLIER_DAYS, { day, limit: most })
      return rows.map(({ id }) => id)
    },

    beginDay: (ids: readonly number[], day: string) => tx.run(BEGIN_DAY, { ids, day }),
  }
}

type Ready = { replica: string; now: string; limit: number }

/** A company with tasks that a device is ready to take, the lanes of those tasks, and their number. */
type CompanyToServe = { company_id: number; any: 0 | 1; sims: 0 | 1; waiting: number }

type Serving = Ready & { after: number }

/** Companies with tasks that one of their devices may take now. Ids above `after` come first. */
export async function companiesToServe(tx: Tx, serving: Serving): Promise<CompanyToServe[]> {
  await tx.writeTotals()
  return tx.rows(COMPANIES_TO_SERVE, serving)
}

/** Changes these columns of a device. */
export function changeDevice(tx: Tx, id: number, change: Change<Devices>): Promise<void> {
  return tx.update('devices', { id }, change)
}

/** Adds to one of the device's counters: its queue, its own lane or its window. The commit writes it. */
export function countFor(tx: Tx, id: number, counter: keyof typeof COUNTERS, messages: number) {
  return tx.add(COUNTERS[counter], [id], messages)
}

/** Returns parts that were reserved on `day`, if that day is still the counted one. The commit writes it. */
export function returnParts(tx: Tx, id: number, parts: number, day: string) {
  return tx.add(OF_DAY, [id, day], -parts)
}

/** The numbers of the device's SIMs, as `numberKey` makes them. */
export async function simsOf(tx: Tx, device_id: number): Promise<Set<string>> {
  const rows = await tx.rows(SIMS, { device_id })
  return new Set(rows.map(({ number }) => number))
}

/** How many of a set of devices could take a task. Each number counts a subset of the one before it. */
export type FleetCapacity = {
  total: number
  connected: number
  enabled: number
  /** Below their daily limit. */
  within: number
  /** Not in quarantine. */
  trusted: number
  /** With room in their window. */
  open: number
  /** The most SMS parts that a `within` device may still send today, and the highest limit of an enabled one. */
  room: number
  most: number
  /** The smallest uid of the whole set. */
  uid: string
  /** When the latest of the offline devices disconnected. */
  left_at: string | null
  /** When the first quarantine of the `within` devices ends. */
  trusted_at: string | null
  /** When the first slot of the `open` devices opens. */
  open_at: string | null
}

type At = { now: string; day: string }

/**
 * Counts the devices of these companies, one row for each company. If SIMs are named, one row for each SIM, counting
 * the devices that have it.
 */
export function fleetCapacities(tx: Tx, companies: readonly number[], at: At, sims?: readonly string[]) {
  return tx.rows(STANDINGS, { companies, sims, ...at })
}

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

export type ReadyDevice = Pick<Selectable<Devices>, (typeof readyColumns)[number]> &
  Pick<Settings, 'spoof_time_secs'>

// These conditions match those of the indexes `devices_ready`, `devices_sharing`, `devices_left` and
// `devices_near_limit` to the letter. Otherwise the database would not use the indexes.

/** Connected, enabled, and with room in its window of ten and its day. */
const CAN_TAKE = `status = 'connected' and enabled = 1 and unlinked_at is null
  and unfinished < 10 and sent_parts < max_sms_dayly`
/** After a quarantine, a device gets one task at a time. */
const MAY_SHARE = '(quarantined_until is null or unfinished = 0)'
/** The time from which it may be given tasks for any device. */
const OPEN_SINCE = perEngine({
  sqlite: "max(next_slot_at, aside_until, coalesce(quarantined_until, ''))",
  postgres: "greatest(next_slot_at, aside_until, coalesce(quarantined_until, ''))",
})
/** The number in the name of a lane `sim:…`. */
const NUMBER_OF_LANE = `substr(lane, ${'sim:'.length + 1})`
/** The plus stops SQLite from scanning all devices of the company. */
const OF_SIMS = `+devices.company_id = :company_id and devices.id in (
  select device_id from lanes join device_sims
    on device_sims.company_id = lanes.company_id and device_sims.number = ${NUMBER_OF_LANE}
  where lanes.company_id = :company_id and lane >= 'sim:' and lane < 'sim;')`

const READY = `select ${readyColumns.map((column) => `devices.${column}`).join(', ')}, spoof_time_secs
  from devices join settings on settings.company_id = devices.company_id
  where ${CAN_TAKE} and replica = :replica`

// A change of the settings, such as switching sending off, waits for work that sends by the old settings.

const OWN_READY = sql<ReadyDevice, Ready>`
  ${READY} and queued + sticky > 0 and next_slot_at <= :now and send_enabled = 1
  order by next_slot_at ${limit()} ${lockedOrSkipped('devices')} ${shared('settings')}`

type OfCompany = Ready & { company_id: number }

const SHARING = sql<ReadyDevice, OfCompany>`
  ${READY} and devices.company_id = :company_id and ${MAY_SHARE} and ${OPEN_SINCE} <= :now
  order by ${OPEN_SINCE} ${limit()} ${lockedOrSkipped('devices')} ${shared('settings')}`

const SHARING_SIMS = sql<ReadyDevice, OfCompany>`
  ${READY} and ${OF_SIMS} and ${MAY_SHARE} and ${OPEN_SINCE} <= :now
  order by ${OPEN_SINCE} ${limit()} ${lockedOrSkipped('devices')} ${shared('settings')}`

const OTHER = sql<
  { id: number },
  { but: number; company_id: number; now: string; parts: number; sim: string | undefined }
>`
  select id from devices
  where unlinked_at is null and company_id = :company_id and id <> :but
    and status = 'connected' and enabled = 1 and sent_parts + :parts <= max_sms_dayly
    and (quarantined_until is null or quarantined_until <= :now)
    ${when('sim')`and exists (select 1 from device_sims where device_id = devices.id and number = :sim)`}
  limit 1`

const LEFT = sql<Pick<Selectable<Devices>, 'id' | 'company_id'>, { limit: number }>`
  select id, company_id from devices
  where sticky > 0 and (status <> 'connected' or enabled = 0 or unlinked_at is not null
    or sent_parts >= max_sms_dayly or quarantined_until is not null)
  ${limit()}`

const OF_EARLIER_DAYS = sql<{ id: number }, { day: string; limit: number }>`
  select id from devices
  where sent_parts > 0 and sent_parts * 5 >= max_sms_dayly * 4 and unlinked_at is null and sent_day < :day
  ${limit()}`

/** Another server may have started a device's day since the read: then its count stays. */
const BEGIN_DAY = sql<never, { ids: readonly number[]; day: string }>`
  update devices set sent_day = :day, sent_parts = 0 where ${isIn('id', 'ids')} and sent_day < :day`

const SIMS = sql<{ number: string }, { device_id: number }>`
  select number from device_sims where device_id = :device_id`

const SERVED = `replica = :replica and ${CAN_TAKE} and ${MAY_SHARE}`

const COMPANIES_TO_SERVE = sql<CompanyToServe, Serving>`
  select lanes.company_id, max(case when lane = '' then 1 else 0 end) as "any",
    max(case when lane <> '' then 1 else 0 end) as sims, sum(waiting) as waiting
  from lanes join settings on settings.company_id = lanes.company_id
  where lane <> 'later' and send_enabled = 1 and case
    when lane = '' then exists (
      select 1 from devices where devices.company_id = lanes.company_id and ${SERVED} and ${OPEN_SINCE} <= :now)
    else exists (
      select 1 from device_sims join devices on devices.id = device_sims.device_id
      where device_sims.company_id = lanes.company_id
        and device_sims.number = ${NUMBER_OF_LANE} and ${SERVED} and ${OPEN_SINCE} <= :now) end
  group by lanes.company_id
  order by lanes.company_id <= :after, lanes.company_id
  ${limit()}`

const STANDINGS = sql<
  FleetCapacity & { company_id: number; sim?: string },
  { companies: readonly number[]; sims: readonly string[] | undefined } & At
>`
  select company_id, ${when('sims')`sim,`} count(*) as total, sum(c) as connected, sum(e) as enabled,
    sum(w) as within, sum(t) as trusted, sum(o) as open, max(w * room) as room, max(e * max_sms_dayly) as most,
    min(uid) as uid, max(case when c = 0 then status_at end) as left_at,
    min(case when w = 1 and t = 0 then quarantined_until end) as trusted_at,
    min(case when o = 1 then next_slot_at end) as open_at
  from (select d.*, case when t = 1 and unfinished < 10 then 1 else 0 end as o from (
    select d.*, case when w = 1 and coalesce(quarantined_until, '') <= :now then 1 else 0 end as t from (
      select d.*, case when e = 1 and room > 0 then 1 else 0 end as w from (
        select devices.company_id, ${when('sims')`number as sim,`} uid, status_at, quarantined_until,
          unfinished, next_slot_at, max_sms_dayly, case when status = 'connected' then 1 else 0 end as c,
          case when status = 'connected' and enabled = 1 then 1 else 0 end as e,
          max_sms_dayly - case when sent_day >= :day then sent_parts else 0 end as room
        from devices
          ${when('sims')`join device_sims on device_id = devices.id and ${isIn('number', 'sims')}`}
        where unlinked_at is null and ${isIn('devices.company_id', 'companies')}) as d) as d) as d) as d
  group by company_id ${when('sims')`, sim`}`

const counter = (kind: 'queued' | 'sticky' | 'unfinished'): Total =>
  total({
    order: TOTALS_ORDER.devices,
    kind,
    columns: { id: 'bigint', more: 'bigint' },
    add: (rows) => `with added (id, more) as (${rows})
      update devices set ${kind} = ${kind} + added.more from added where devices.id = added.id`,
    one: `update devices set ${kind} = ${kind} + :more where id = :id`,
  })

/** Totals for the counters of a device's queue, its own lane and its window. */
const COUNTERS = {
  queued: counter('queued'),
  sticky: counter('sticky'),
  unfinished: counter('unfinished'),
} as const

/** Total for the parts of a day, if that day is still the counted one. */
const OF_DAY = total({
  order: TOTALS_ORDER.devices,
  kind: 'sent_parts',
  columns: { id: 'bigint', day: 'text', more: 'bigint' },
  add: (rows) => `with added (id, day, more) as (${rows})
    update devices set sent_parts = sent_parts + added.more from added
    where devices.id = added.id and sent_day = added.day`,
  one: 'update devices set sent_parts = sent_parts + :more where id = :id and sent_day = :day',
})
