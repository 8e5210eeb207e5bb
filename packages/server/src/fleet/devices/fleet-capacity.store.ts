import { isIn, sql, when } from '@sdd/storage/sql.ts'
import type { Now } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { DEVICE_WINDOW } from './capacity.store.ts'
import { PLAN_RENEWAL, planRoom } from './sim-room.ts'

/** How many of a set of devices could take a task. Each number counts a subset of the one before it. */
export type FleetCapacity = {
  total: number
  connected: number
  enabled: number
  /** Below their daily limit. */
  within: number
  /** With room in the plan of a SIM. */
  planned: number
  /** Not in quarantine, nor on trial after it with the one task that such a device may have. */
  trusted: number
  /** With room in their window. */
  open: number
  /** Enabled, but in maintenance. They do not count as connected. */
  maintained: number
  /** The most SMS parts that a `within` device may still send today, and the highest limit of an enabled one. */
  room: number
  most: number
  /** The most SMS parts that the plans of a `within` device allow. */
  plan_room: number
  /** Which plan of the `within` devices renews first, as `PLAN_RENEWAL` answers it. */
  plan_renewal: string | null
  /** The smallest uid of the whole set. */
  uid: string
  /** When the first maintenance ends, and the uid of its device, with a blank between them. */
  maintained_first: string | null
  /** When the latest of the offline devices disconnected. */
  left_at: string | null
  /** When the first quarantine of the `planned` devices ends, and a task is tried there. */
  trusted_at: string | null
  /** When the first slot of the `open` devices opens. */
  open_at: string | null
}

/**
 * Counts the devices of these companies, one row for each company. If SIMs or tags are named, one row for each of them,
 * counting the devices that have it. With `sim` and `of_tags`, only devices with that SIM and one of those tags count.
 */
export function fleetCapacities(
  tx: Tx,
  companies: readonly number[],
  { now, day }: Now,
  {
    sims,
    tags,
    sim,
    of_tags,
  }: {
    sims?: readonly string[]
    tags?: readonly string[]
    sim?: string | undefined
    of_tags?: readonly string[] | undefined
  } = {},
) {
  return tx.rows(FLEET_CAPACITIES, { companies, sims, tags, sim, of_tags, now, day })
}

const HAS_SIM = when('sim')`and exists (
  select 1 from device_sims where device_sims.device_id = devices.id and number = :sim)`

const FLEET_CAPACITIES = sql<
  FleetCapacity & { company_id: number; sim?: string; tag?: string },
  {
    companies: readonly number[]
    sims: readonly string[] | undefined
    tags: readonly string[] | undefined
    sim: string | undefined
    of_tags: readonly string[] | undefined
    now: string
    day: string
  }
>`
  select company_id, ${when('sims')`sim,`} ${when('tags')`tag,`} count(*) as total, sum(c) as connected, sum(e) as enabled,
    sum(w) as within, sum(p) as planned, sum(t) as trusted, sum(o) as open, sum(m) as maintained, max(w * room) as room, max(e * max_sms_dayly) as most,
    max(w * plan_room) as plan_room, min(case when w = 1 then plan_renewal end) as plan_renewal,
    min(uid) as uid, min(case when m = 1 then maintenance_until || ' ' || uid end) as maintained_first,
    max(case when c = 0 and m = 0 then status_at end) as left_at,
    min(case when p = 1 and quarantined_until > :now then quarantined_until end) as trusted_at,
    min(case when o = 1 then next_slot_at end) as open_at
  from (select d.*, case when t = 1 and unfinished < ${String(DEVICE_WINDOW)} then 1 else 0 end as o from (
    select d.*, case when p = 1 and (quarantined_until is null or quarantined_until <= :now and unfinished = 0) then 1 else 0 end as t from (
    select d.*, case when w = 1 and plan_room > 0 then 1 else 0 end as p from (
      select d.*, case when e = 1 and room > 0 then 1 else 0 end as w from (select d.*,
        case when m = 0 and status = 'connected' then 1 else 0 end as c,
        case when m = 0 and status = 'connected' and enabled = 1 then 1 else 0 end as e from (
        select devices.*, ${planRoom('devices.asked')} as plan_room, case when names_sims = 1 then ${PLAN_RENEWAL} end as plan_renewal
        from (select devices.id, names_sims,
          coalesce(${when('sims')`number,`} ${when('sim')`:sim,`} null, null) as asked, devices.company_id, ${when('sims')`number as sim,`} ${when('tags')`tag,`} uid, status_at, quarantined_until,
          unfinished, next_slot_at, max_sms_dayly, status, enabled, maintenance_until,
          case when enabled = 1 and maintenance_until > :now then 1 else 0 end as m,
          max_sms_dayly - case when sent_day >= :day then sent_parts else 0 end as room
        from devices join capacity on capacity.device_id = devices.id
          ${when('sims')`join device_sims on device_sims.device_id = devices.id and ${isIn('number', 'sims')}`}
          ${when('tags')`join device_tags on device_tags.device_id = devices.id and ${isIn('tag', 'tags')}`}
        where unlinked_at is null and ${isIn('devices.company_id', 'companies')} ${HAS_SIM}
          ${when('of_tags')`and exists (select 1 from device_tags
            where device_tags.device_id = devices.id and ${isIn('tag', 'of_tags')})`}) as devices) as d) as d) as d) as d) as d) as d
  group by company_id ${when('sims')`, sim`} ${when('tags')`, tag`}`
