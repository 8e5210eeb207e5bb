import { isIn, limit, locked, lockedOrSkipped, perEngine, shared, sql, when } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import { type Total, total } from '@sdd/storage/totals.ts'
import type { Capacity, Devices } from '#server/database/device-tables.ts'
import { type Change, type Settings, TOTALS_ORDER, type Tx } from '#server/database/schema.ts'
import type { Lanes } from '#server/database/task-tables.ts'
import { NO_MAINTENANCE } from './maintenance.ts'
import { PLAN_UNTIL, planRoom } from './sim-room.ts'

/** The most unfinished messages on one device, so that others get the rest. */
export const DEVICE_WINDOW = 10

/** Devices of all companies, and what they may be given. */
export function capacityStore(tx: Tx) {
  return {
    /**
     * Locks the capacity of these devices until the commit, and reads what decides whether they may be given something.
     * Skips devices that another server has locked, and those that are not at this one. A change after
     * which a device must get nothing more locks its capacity too (`holdCapacity`).
     */
    async hold(device_ids: readonly number[], replica: string, now: string): Promise<HeldDevice[]> {
      if (device_ids.length === 0) return []
      // Other work in this transaction may have added to the queues and windows.
      await tx.writeTotals()
      const held = { device_ids, replica, now }
      if (!tx.writing) return tx.rows(HELD, held)
      // A device that was locked during the first statement may be free during the second, and seen as it was before.
      const [locked, devices] = await Promise.all([tx.rows(HOLD, { device_ids }), tx.rows(HELD, held)])
      const ids = new Set(locked.map(({ device_id }) => device_id))
      return devices.filter(({ id }) => ids.has(id))
    },

    /** Devices at this server with ids above `after` that stand ready, with or without room. */
    at: (asked: { replica: string; after: number; limit: number; now: string }) => tx.rows(AT_SERVER, asked),

    /** The devices that have one of these SIMs. */
    withSim: (company_id: number, numbers: readonly string[]) => tx.rows(WITH_SIM, { company_id, numbers }),

    /** The devices with this tag, in order. In one JSON text, because they may be thousands and mostly stay the same. */
    withTag: async (company_id: number, tag: string): Promise<string> =>
      (await tx.first(WITH_TAG, { company_id, tag }))?.device_ids ?? '[]',

    /**
     * Whether another linked device could take a task, now or later today; with `sim` or `tags`, one that has it; with
     * `free`, one with room in its window.
     */
    otherCould: async (
      { id: but, company_id }: { id: number; company_id: number },
      { now, day }: At,
      {
        parts,
        sim,
        tags,
        free,
      }: { parts: number; sim: string | undefined; tags: readonly string[]; free: boolean },
    ): Promise<boolean> => {
      const some = tags.length > 0 ? tags : undefined
      const window = free ? DEVICE_WINDOW : undefined
      const values = { but, company_id, now, day, parts, sim, asked: sim ?? null, tags: some, window }
      return (await tx.first(OTHER, values)) !== undefined
    },

    /** Whether a device with this tag, except one, could be given a task now. */
    couldNow: async (task: Omit<CouldTake, 'asked'> & { tag: string }): Promise<boolean> =>
      (await tx.first(COULD_NOW, { ...task, asked: task.sim ?? null })) !== undefined,

    /** All linked devices of the company. */
    ofCompany: (company_id: number, now: string) => tx.rows(OF_COMPANY, { company_id, now }),

    /** Devices with waiting tasks that are offline, or may send nothing now. */
    left: async (at: At, most: number) => {
      await tx.writeTotals()
      return tx.rows(LEFT, { ...at, limit: most })
    },
  }
}

/** The lanes with tasks of each company that may send: for any device (`lane` is empty), and by SIM, tag and route. */
export async function lanesToServe(tx: Tx): Promise<Lanes[]> {
  await tx.writeTotals()
  return tx.rows(LANES_TO_SERVE)
}

/** Changes these columns of a device's capacity. */
export function changeCapacity(tx: Tx, device_id: number, change: Change<Capacity>): Promise<void> {
  return tx.update('capacity', { device_id }, change)
}

/**
 * Waits until no server is giving these devices anything, and locks them until the commit. Call it before a change
 * after which a device must get nothing more.
 */
export async function holdCapacity(tx: Tx, device_ids: readonly number[]): Promise<void> {
  if (tx.writing) await tx.rows(HOLD_WAITING, { device_ids })
}

/** Adds to one of the device's counters: its queue, its own lane or its window. The commit writes it. */
export function countFor(tx: Tx, id: number, counter: keyof typeof COUNTERS, messages: number) {
  return tx.add(COUNTERS[counter], [id], messages)
}

/**
 * Returns parts that were reserved on `day`, if that day is still the counted one. Negative `parts` count again. The
 * commit writes it.
 */
export function returnParts(tx: Tx, id: number, parts: number, day: string) {
  return tx.add(OF_DAY, [id, day], -parts)
}

/** The numbers of the devices' SIMs. */
export async function simsByDevice(tx: Tx, device_ids: readonly number[]): Promise<Map<number, Set<string>>> {
  const rows = await tx.rows(SIMS, { device_ids })
  return byDevice(rows.map(({ device_id, number }) => [device_id, number]))
}

/** The tags of the devices. */
export async function tagsByDevice(tx: Tx, device_ids: readonly number[]): Promise<Map<number, Set<string>>> {
  const rows = await tx.rows(TAGS, { device_ids })
  return byDevice(rows.map(({ device_id, tag }) => [device_id, tag]))
}

function byDevice(pairs: readonly [device_id: number, value: string][]): Map<number, Set<string>> {
  const found = new Map<number, Set<string>>()
  for (const [device_id, value] of pairs) found.getOrInsertComputed(device_id, () => new Set()).add(value)
  return found
}

type At = { now: string; day: string }

const heldColumns = [
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
  'maintenance_until',
  'sim_id',
  'names_sims',
] as const

export type HeldDevice = Pick<Selectable<Devices> & Selectable<Capacity>, (typeof heldColumns)[number]> &
  Pick<Selectable<Settings>, 'spoof_time_secs' | 'sending_hours' | 'default_country' | 'routes'> & {
    /** When the plans of its SIMs allow something again; null if they do now. */
    plan_until: string | null
  }

/** A device that may be away or disabled. */
export type CompanyDevice = HeldDevice & Pick<Devices, 'status' | 'enabled'>

const DEVICES = 'devices join capacity on capacity.device_id = devices.id'

/** Connected, enabled and linked. */
const STANDS = `status = 'connected' and enabled = 1 and unlinked_at is null`
/** With parts left of the day. */
const WITHIN_DAY = `(sent_parts < max_sms_dayly or sent_day < :day)`

const HOLD = sql<{ device_id: number }, { device_ids: readonly number[] }>`
  select device_id from capacity where ${isIn('device_id', 'device_ids')}
  order by device_id ${lockedOrSkipped('capacity')}`

const HOLD_WAITING = sql<unknown, { device_ids: readonly number[] }>`
  select device_id from capacity where ${isIn('device_id', 'device_ids')}
  order by device_id ${locked('capacity')}`

const READ = `select devices.id, devices.company_id, ${heldColumns.slice(2).join(', ')}, spoof_time_secs,
    sending_hours, default_country, routes, ${PLAN_UNTIL} as plan_until`

/**
 * A `case`, because a condition that an index serves looks cheap to PostgreSQL while its statistics are older than the
 * connections. It would read every connected device.
 */
const STANDS_HERE = `case when ${STANDS} and replica = :replica then true end`

/**
 * A change of the settings, such as switching sending off, waits for work that sends by the old settings. The cross join
 * keeps SQLite from reading every device at the server.
 */
const HELD = sql<HeldDevice, { device_ids: readonly number[]; replica: string; now: string }>`
  ${READ} from capacity cross join devices cross join settings
  where ${isIn('device_id', 'device_ids')} and devices.id = device_id and settings.company_id = devices.company_id
    and ${STANDS_HERE} and send_enabled = 1
  ${shared('settings')}`

const AT_SERVER = sql<HeldDevice, { replica: string; after: number; limit: number; now: string }>`
  ${READ} from ${DEVICES} join settings on settings.company_id = devices.company_id
  where replica = :replica and case when ${STANDS} then true end and send_enabled = 1 and devices.id > :after
  order by devices.id ${limit()}`

const OF_COMPANY = sql<CompanyDevice, { company_id: number; now: string }>`
  ${READ}, status, enabled from ${DEVICES} join settings on settings.company_id = devices.company_id
  where devices.company_id = :company_id and unlinked_at is null`

const WITH_SIM = sql<
  { device_id: number; number: string },
  { company_id: number; numbers: readonly string[] }
>`
  select device_id, number from device_sims where company_id = :company_id and ${isIn('number', 'numbers')}`

const WITH_TAG = sql<{ device_ids: string }, { company_id: number; tag: string }>`
  select ${perEngine({
    sqlite: 'json_group_array(device_id order by device_id)',
    postgres: "coalesce(json_agg(device_id order by device_id), '[]')::text",
  })} as device_ids
  from device_tags where company_id = :company_id and tag = :tag`

const LANES_TO_SERVE = sql<Lanes>`
  select lanes.company_id, lane, waiting
  from lanes join settings on settings.company_id = lanes.company_id
  where lane <> 'later' and send_enabled = 1 order by lanes.company_id`

/** Except one device: with room for these parts today and in a plan, in no quarantine and no maintenance. */
const COULD = `id <> :but
    and case when sent_day < :day then 0 else sent_parts end + :parts <= max_sms_dayly
    and (quarantined_until is null or quarantined_until <= :now) and ${NO_MAINTENANCE} and ${planRoom('cast(:asked as text)')} >= :parts`
const HAS_SIM = when('sim')`and exists (
  select 1 from device_sims where device_sims.device_id = devices.id and number = :sim)`

/** `asked` is `sim` too. */
type CouldTake = {
  but: number
  company_id: number
  parts: number
  sim: string | undefined
  asked: string | null
} & At

const OTHER = sql<
  { id: number },
  CouldTake & { tags: readonly string[] | undefined; window: number | undefined }
>`
  select id from ${DEVICES}
  where company_id = :company_id and ${STANDS} and ${COULD} ${HAS_SIM} ${when('window')`and unfinished < :window`}
    ${when('tags')`and exists (
      select 1 from device_tags where device_tags.device_id = devices.id and ${isIn('tag', 'tags')})`}
  limit 1`

/** From the tag on, with a `case` as before: a tag has few devices, or one of its first has room. */
const COULD_NOW = sql<{ id: number }, CouldTake & { tag: string }>`
  select id from device_tags cross join devices cross join capacity
  where device_tags.company_id = :company_id and tag = :tag and devices.id = device_tags.device_id
    and capacity.device_id = devices.id and case when ${STANDS} then true end and ${COULD} ${HAS_SIM}
    and unfinished < ${String(DEVICE_WINDOW)} and next_slot_at <= :now
    and (quarantined_until is null or unfinished = 0)
  limit 1`

const LEFT = sql<Pick<Selectable<Devices>, 'id' | 'company_id'>, At & { limit: number }>`
  select id, company_id from capacity join devices on devices.id = device_id
  where queued + sticky > 0 and sticky > 0 and (
    not (${STANDS} and ${WITHIN_DAY} and ${NO_MAINTENANCE} and ${PLAN_UNTIL} is null) or quarantined_until is not null)
  ${limit()}`

const TAGS = sql<{ device_id: number; tag: string }, { device_ids: readonly number[] }>`
  select device_id, tag from device_tags where ${isIn('device_id', 'device_ids')}`

const SIMS = sql<{ device_id: number; number: string }, { device_ids: readonly number[] }>`
  select device_id, number from device_sims where ${isIn('device_id', 'device_ids')}`

const counter = (kind: 'queued' | 'sticky' | 'unfinished'): Total =>
  total({
    order: TOTALS_ORDER.devices,
    kind,
    columns: { id: 'bigint', more: 'bigint' },
    add: (rows) => `with added (id, more) as (${rows})
      update capacity set ${kind} = ${kind} + added.more from added where device_id = added.id`,
    one: `update capacity set ${kind} = ${kind} + :more where device_id = :id`,
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
    update capacity set sent_parts = sent_parts + added.more from added
    where device_id = added.id and sent_day = added.day`,
  one: 'update capacity set sent_parts = sent_parts + :more where device_id = :id and sent_day = :day',
})
