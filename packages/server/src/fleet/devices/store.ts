import { isIn, limit, locked, lockedOrSkipped, postgresSql, sql, tuples, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Capacity, Devices } from '#server/database/device-tables.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import { PLAN_UNTIL } from './sim-room.ts'

/** The columns of a device whose latest message succeeded. */
export const WITHOUT_FAILURES = {
  failures_in_row: 0,
  quarantines: 0,
  quarantined_until: null,
  quarantine_reason: null,
} as const

/** The columns of a device that is not connected. */
export const DISCONNECTED = { status: 'disconnected', session: null, replica: null } as const

/** Linked devices of the scope. Unlinked devices are only names in old rows. */
export function deviceStore(tx: Tx, scope: Scope) {
  return {
    list: () => tx.rows(LIST, within(scope)),

    /** The devices with these uids, each once, with all that people read about them. */
    listedByUids: (uids: readonly string[]) => tx.rows(LISTED_BY_UIDS, { uids, ...within(scope) }),

    byUid: (uid: string) => tx.first(BY_UID, { uid, ...within(scope) }),

    /** What an admission needs of the devices with these uids. */
    secretsOf: (uids: readonly string[]) => tx.rows(SECRETS, { uids, ...within(scope) }),

    byIds: (ids: readonly number[]) => tx.rows(BY_IDS, { ids, ...within(scope) }),

    /** Those of these devices that are linked, locked until the commit. */
    held: (ids: readonly number[]) => tx.rows(HELD_BY_IDS, { ids, ...within(scope) }),

    byId: (id: number) => tx.first(BY_ID, { id, ...within(scope) }),

    /** The number of devices by status, and how many messages wait for them. */
    countByStatus: () => tx.rows(COUNT_BY_STATUS, within(scope)),

    countQuarantined: async (): Promise<number> => (await tx.first(COUNT_QUARANTINED, within(scope)))!.count,

    /** The number of devices by status and by whether they are enabled. */
    countByStatusAndEnabled: () => tx.rows(COUNT_BY_STATUS_AND_ENABLED, within(scope)),

    countByCarrier: (most: number) => tx.rows(COUNT_BY_CARRIER, { limit: most, ...within(scope) }),

    /** The devices by the program that they report, most devices first. */
    countByAgent: (most: number) => tx.rows(COUNT_BY_AGENT, { limit: most, ...within(scope) }),

    /** How many enabled devices have been disconnected since before this time. */
    countAway: async (before: string): Promise<number> =>
      (await tx.first(COUNT_AWAY, { before, ...within(scope) }))?.count ?? 0,

    /** These devices, the longest away first. */
    longestAway: (before: string, most: number) =>
      tx.rows(LONGEST_AWAY, { before, limit: most, ...within(scope) }),

    /** Devices with waiting messages. */
    withQueue: (now: string) => tx.rows(WITH_QUEUE, { now, ...within(scope) }),

    /** Devices that have used 80 % of the day or more, fullest first. */
    nearLimit: (day: string, most: number) => tx.rows(NEAR_LIMIT, { day, limit: most, ...within(scope) }),

    networks: (uid: string) => tx.first(NETWORKS, { uid, ...within(scope) }),

    async setSims({ id, company_id }: { id: number; company_id: number }, numbers: readonly string[]) {
      await tx.run(REMOVE_SIMS, { device_id: id })
      await tx.insert(
        'device_sims',
        numbers.map((number) => ({ device_id: id, company_id, number })),
      )
    },

    /** Call it with the `tags` of the device's row. */
    async setTags({ id, company_id }: { id: number; company_id: number }, tags: readonly string[]) {
      await tx.run(REMOVE_TAGS, { device_id: id })
      await tx.insert(
        'device_tags',
        tags.map((tag) => ({ device_id: id, company_id, tag })),
      )
    },

    async insert(device: Insertable<Devices>): Promise<number> {
      const device_id = await tx.insertRow('devices', device)
      await tx.insert('capacity', [{ device_id }])
      return device_id
    },

    update: (id: number, change: Change<Devices>) => tx.update('devices', { id }, change),

    /** Disconnects all devices and resets the numbers of their connections. */
    disconnectAll: async (status_at: string) => {
      await tx.run(FORGET_CONNECTIONS)
      await tx.run(DISCONNECT_ALL, { status_at })
    },

    /** Disconnects at most this many of the devices at these servers. */
    leave: (replicas: readonly string[], status_at: string, most: number) =>
      tx.rows(DISCONNECT_AT, { replicas, status_at, limit: most }),

    /** Disconnects the devices of servers that no longer exist. */
    disconnectUnknown: (status_at: string) => tx.rows(DISCONNECT_UNKNOWN, { status_at }),

    /** The devices at this server, and the number of each connection. */
    connectedAt: (replica: string) => tx.rows(CONNECTED_AT, { replica }),

    /** Stores when each of these was last heard. Skips devices with a later time, and rows that are locked now. */
    async noteSeen(seen: ReadonlyMap<string, string>): Promise<void> {
      const rows = await tx.rows(LAST_SEEN, { uids: [...seen.keys()], ...within(scope) })
      const newer = rows.flatMap(({ id, uid, last_seen_at }) => {
        const at = seen.get(uid)!
        return last_seen_at === null || last_seen_at < at ? [[id, at] as const] : []
      })
      if (newer.length > 0) await tx.run(NOTE_SEEN, { seen: newer })
    },

    /** Devices of a company that were given a message after `since`. A changed pace moves their slots. */
    givenSince: (company_id: number, since: string) =>
      tx.rows(GIVEN_SINCE, { of: company_id, since, ...within(scope) }),
  }
}

type Device = Selectable<Devices> & Omit<Selectable<Capacity>, 'device_id'>

const columns = [
  'id',
  'company_id',
  'uid',
  'secret_hash',
  'location',
  'created_at',
  'enabled',
  'enabled_at',
  'max_sms_dayly',
  'status',
  'status_at',
  'session',
  'connection',
  'replica',
  'last_seen_at',
  'carrier',
  'agent',
  'radio_ready',
  'radio_says',
  'sim_id',
  'sim_count',
  'names_sims',
  'failures_in_row',
  'quarantines',
  'quarantined_until',
  'quarantine_reason',
  'maintenance_until',
  'queued',
  'unfinished',
  'sent_day',
  'sent_parts',
  'last_given_at',
  'next_slot_at',
  'sticky',
  'inbox_slowed_at',
] as const

const COLUMNS = columns.join(', ')

/** The columns that only people need. */
const listedColumns = ['name', 'note', 'tags', 'abilities', 'signal', 'sim_ids'] as const

const LISTED = [...columns, ...listedColumns].join(', ')

const DEVICES = 'devices join capacity on capacity.device_id = devices.id'

export type DeviceRow = Pick<Device, (typeof columns)[number]>

/** A device as people read it. The dispatcher does not read its texts. */
export type ListedDevice = DeviceRow & Pick<Device, (typeof listedColumns)[number]>

/** The columns that decide whether a device may be given something now. */
const queueColumns = [
  'company_id',
  'enabled',
  'maintenance_until',
  'status',
  'queued',
  'sticky',
  'unfinished',
  'max_sms_dayly',
  'sent_day',
  'sent_parts',
  'next_slot_at',
] as const

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const LIST = sql<ListedDevice, InScope>`
  select ${LISTED} from ${DEVICES} where unlinked_at is null ${IN_SCOPE} order by id`

const LISTED_BY_UIDS = sql<ListedDevice, { uids: readonly string[] } & InScope>`
  select ${LISTED} from ${DEVICES}
  where unlinked_at is null ${IN_SCOPE} and ${isIn('uid', 'uids')} order by id ${locked('devices')}`

const BY_UID = sql<DeviceRow, { uid: string } & InScope>`
  select ${COLUMNS} from ${DEVICES} where uid = :uid and unlinked_at is null ${IN_SCOPE} ${locked('devices')}`

const BY_ID = sql<DeviceRow, { id: number } & InScope>`
  select ${COLUMNS} from ${DEVICES} where id = :id and unlinked_at is null ${IN_SCOPE} ${locked('devices')}`

const BY_IDS = sql<DeviceRow, { ids: readonly number[] } & InScope>`
  select ${COLUMNS} from ${DEVICES} where unlinked_at is null ${IN_SCOPE} and ${isIn('id', 'ids')}`

const SECRETS = sql<
  Pick<DeviceRow, 'id' | 'company_id' | 'uid' | 'secret_hash'>,
  { uids: readonly string[] } & InScope
>`
  select id, company_id, uid, secret_hash from devices
  where ${isIn('uid', 'uids')} and unlinked_at is null ${IN_SCOPE}`

const HELD_BY_IDS = sql<DeviceRow, { ids: readonly number[] } & InScope>`
  select ${COLUMNS} from ${DEVICES} where unlinked_at is null ${IN_SCOPE} and ${isIn('id', 'ids')}
  order by id ${locked('devices')}`

const COUNT_BY_STATUS = sql<Pick<Device, 'status'> & { count: number; queued: number }, InScope>`
  select status, count(*) as count, sum(queued + sticky) as queued from ${DEVICES}
  where unlinked_at is null ${IN_SCOPE} group by status`

const COUNT_QUARANTINED = sql<{ count: number }, InScope>`
  select count(*) as count from devices
  where unlinked_at is null ${IN_SCOPE} and quarantined_until is not null`

const COUNT_BY_STATUS_AND_ENABLED = sql<Pick<Device, 'status' | 'enabled'> & { count: number }, InScope>`
  select status, enabled, count(*) as count from devices
  where unlinked_at is null ${IN_SCOPE} group by status, enabled`

const COUNT_BY_CARRIER = sql<
  { carrier: string | null; connected: number; total: number },
  { limit: number } & InScope
>`
  select carrier, count(case when status = 'connected' then 1 end) as connected, count(*) as total from devices
  where unlinked_at is null ${IN_SCOPE} group by carrier order by total desc, coalesce(carrier, '') ${limit()}`

const COUNT_BY_AGENT = sql<
  { agent: string | null; devices: number; connected: number },
  { limit: number } & InScope
>`
  select agent, count(*) as devices, count(case when status = 'connected' then 1 end) as connected from devices
  where unlinked_at is null ${IN_SCOPE} group by agent order by devices desc, coalesce(agent, '') ${limit()}`

const IS_AWAY = `unlinked_at is null and enabled = 1 and status = 'disconnected' and status_at <= :before`

const COUNT_AWAY = sql<{ count: number }, { before: string } & InScope>`
  select count(*) as count from devices where ${IS_AWAY} ${IN_SCOPE}`

const LONGEST_AWAY = sql<{ device_uid: string; since: string }, { before: string; limit: number } & InScope>`
  select uid as device_uid, status_at as since from devices where ${IS_AWAY} ${IN_SCOPE}
  order by status_at, uid ${limit()}`

const WITH_QUEUE = sql<
  Pick<Device, (typeof queueColumns)[number]> & { plan_until: string | null },
  { now: string } & InScope
>`
  select ${queueColumns.join(', ')}, ${PLAN_UNTIL} as plan_until from ${DEVICES}
  where unlinked_at is null ${IN_SCOPE} and queued + sticky > 0`

const NEAR_LIMIT = sql<
  Pick<Device, 'uid' | 'sent_parts' | 'max_sms_dayly'>,
  { day: string; limit: number } & InScope
>`
  select uid, sent_parts, max_sms_dayly from ${DEVICES}
  where unlinked_at is null ${IN_SCOPE} and sent_day = :day
    and sent_parts > 0 and sent_parts * 5 >= max_sms_dayly * 4
  order by sent_parts * 1.0 / case when max_sms_dayly > 1 then max_sms_dayly else 1 end desc, uid ${limit()}`

const NETWORKS = sql<Pick<Device, 'networks'>, { uid: string } & InScope>`
  select networks from devices where unlinked_at is null ${IN_SCOPE} and uid = :uid`

const REMOVE_SIMS = sql<never, { device_id: number }>`delete from device_sims where device_id = :device_id`

const REMOVE_TAGS = sql<never, { device_id: number }>`delete from device_tags where device_id = :device_id`

const FORGET_CONNECTIONS = sql`update devices set connection = 0 where connection > 0`

/** The columns of `GONE`. */
const DISCONNECT = `update devices
  set status = 'disconnected', session = null, replica = null, status_at = :status_at`

const DISCONNECT_ALL = sql<never, { status_at: string }>`${DISCONNECT} where status = 'connected'`

const DISCONNECT_AT = sql<
  Pick<Device, 'id' | 'uid' | 'company_id' | 'connection'>,
  { replicas: readonly string[]; status_at: string; limit: number }
>`
  ${DISCONNECT} where id in (
    select id from devices where ${isIn('replica', 'replicas')} order by id ${limit()} ${locked('devices')})
  returning id, uid, company_id, connection`

/** SQLite has one server at a time and no table of servers. */
const DISCONNECT_UNKNOWN = postgresSql<Pick<Device, 'id'>, { status_at: string }>`
  ${DISCONNECT}
  where status = 'connected' and (replica is null or replica not in (select id from replicas)) returning id`

const CONNECTED_AT = sql<Pick<Device, 'uid' | 'connection'>, { replica: string }>`
  select uid, connection from devices where replica = :replica`

const LAST_SEEN = sql<Pick<Device, 'id' | 'uid' | 'last_seen_at'>, { uids: readonly string[] } & InScope>`
  select id, uid, last_seen_at from devices
  where unlinked_at is null ${IN_SCOPE} and ${isIn('uid', 'uids')} ${lockedOrSkipped('devices')}`

const NOTE_SEEN = sql<never, { seen: readonly (readonly [id: number, at: string])[] }>`
  with seen (id, at) as (${tuples('seen', ['bigint', 'text'])})
  update devices set last_seen_at = seen.at from seen where devices.id = seen.id`

const GIVEN_SINCE = sql<Pick<Device, 'id' | 'last_given_at'>, { of: number; since: string } & InScope>`
  select id, last_given_at from ${DEVICES}
  where unlinked_at is null ${IN_SCOPE} and company_id = :of and last_given_at > :since`
