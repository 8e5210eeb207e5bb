import { type Insertable, type Selectable, sql } from 'kysely'
import type { Scope } from '#server/core/context.ts'
import { isIn, locked, lockedOrPassed, runText, type Value } from '#server/database/dialect.ts'
import { listed, lockedText, rowsOf, updateById } from '#server/database/direct.ts'
import type { Change, Devices, Tx } from '#server/database/schema.ts'
import { addUp } from '#server/database/totals.ts'
import { COUNTERS, OF_DAY } from './sums.ts'

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
  'failures_in_row',
  'quarantines',
  'quarantined_until',
  'quarantine_reason',
  'queued',
  'unfinished',
  'sent_day',
  'sent_parts',
  'last_given_at',
  'next_slot_at',
  'sticky',
  'inbox_slowed_at',
] as const

export type DeviceRow = Pick<Selectable<Devices>, (typeof columns)[number]>

/** What decides whether a device may be given something now. */
const queueColumns = [
  'company_id',
  'enabled',
  'status',
  'queued',
  'sticky',
  'unfinished',
  'max_sms_dayly',
  'sent_day',
  'sent_parts',
  'next_slot_at',
] as const

/** Of a device on which a message went well. */
export const UNBLEMISHED = {
  failures_in_row: 0,
  quarantines: 0,
  quarantined_until: null,
  quarantine_reason: null,
} as const

/** Of a device that is not connected. */
export const GONE = { status: 'disconnected', session: null, replica: null } as const

/** Changes these columns of a device. */
export function changeDevice(tx: Tx, id: number, change: Change<Devices>): Promise<void> {
  return updateById(tx, 'devices', { id }, change)
}

/** Linked devices of the scope; those unlinked are only names in old rows. */
export function deviceStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('devices')
    .where('unlinked_at', 'is', null)
    .$if(scope !== 'all', (query) =>
      query.where('devices.company_id', '=', (scope as { company_id: number }).company_id),
    )

  /** Each device that connects and reports is looked up: see `rowsOf`. */
  async function one(column: 'id' | 'uid', value: Value): Promise<DeviceRow | undefined> {
    const ours = scope === 'all' ? [] : [scope.company_id]
    const text = `select ${columns.join(', ')} from devices
      where ${column} = ? and unlinked_at is null${ours.map(() => ' and company_id = ?').join('')}`
    const [row] = await rowsOf<DeviceRow>(tx, text + lockedText(tx, 'devices'), [value, ...ours])
    return row
  }

  return {
    list: () => inScope.select(columns).orderBy('id').execute(),

    byUid: (uid: string) => one('uid', uid),

    byIds: (ids: readonly number[]) =>
      inScope
        .select(columns)
        .where(isIn(tx, 'id', ids))
        .execute(),

    byId: (id: number) => one('id', id),

    /** How many there are, by status, and how many messages wait for them. */
    countByStatus: () =>
      inScope
        .select((select) => [
          'status',
          select.fn.countAll<number>().as('count'),
          select.fn.sum<number>(sql`queued + sticky`).as('queued'),
        ])
        .groupBy('status')
        .execute(),

    countQuarantined: async (): Promise<number> => {
      const { count } = await inScope
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('quarantined_until', 'is not', null)
        .executeTakeFirstOrThrow()
      return count
    },

    /** How many there are, by status and by whether they are enabled. */
    countByStanding: () =>
      inScope
        .select((select) => ['status', 'enabled', select.fn.countAll<number>().as('count')])
        .groupBy(['status', 'enabled'])
        .execute(),

    /** Those for which messages wait. */
    withQueue: () =>
      inScope
        .select(queueColumns)
        .where(sql<boolean>`queued + sticky > 0`)
        .execute(),

    /** Those that have used 80 % of the day or more, the fullest first. */
    nearLimit: (day: string, limit: number) =>
      inScope
        .select(['uid', 'sent_parts', 'max_sms_dayly'])
        .where('sent_day', '=', day)
        .where('sent_parts', '>', sql.lit(0))
        .where(sql<boolean>`sent_parts * 5 >= max_sms_dayly * 4`)
        .orderBy(sql`sent_parts * 1.0 / case when max_sms_dayly > 1 then max_sms_dayly else 1 end`, 'desc')
        .orderBy('uid')
        .limit(limit)
        .execute(),

    networks: (uid: string) => inScope.select('networks').where('uid', '=', uid).executeTakeFirst(),

    /** The numbers of its SIMs, as `numberKey` has them. */
    simsOf: async (device_id: number): Promise<Set<string>> => {
      const rows = await rowsOf<{ number: string }>(tx, SIMS_OF, [device_id])
      return new Set(rows.map(({ number }) => number))
    },

    async setSims({ id, company_id }: { id: number; company_id: number }, numbers: readonly string[]) {
      await tx.deleteFrom('device_sims').where('device_id', '=', id).execute()
      for (const number of numbers)
        await tx.insertInto('device_sims').values({ device_id: id, company_id, number }).execute()
    },

    insert: (device: Insertable<Devices>) =>
      tx.insertInto('devices').values(device).returning('id').executeTakeFirstOrThrow(),

    update: (id: number, change: Change<Devices>) => changeDevice(tx, id, change),

    /** Adds to the counters of the queue, of the device's own lane, and of the window: before the commit. */
    count: (id: number, change: { queued?: number; sticky?: number; unfinished?: number }) =>
      Promise.all(
        Object.entries(change).map(([counter, count]) =>
          addUp(tx, COUNTERS[counter as keyof typeof change], [id], count),
        ),
      ),

    /** Gives back parts that were reserved on `day`, if that day is still counted. Like `count`, before the commit. */
    giveBack: (id: number, parts: number, day: string) => addUp(tx, OF_DAY, [id, day], -parts),

    /** Nobody is connected, and no connection has a number yet. */
    forgetConnections: async (status_at: string) => {
      await tx.updateTable('devices').set({ connection: 0 }).where('connection', '>', 0).execute()
      await tx
        .updateTable('devices')
        .set({ ...GONE, status_at })
        .where('status', '=', sql.lit('connected'))
        .execute()
    },

    /** At most `limit` of those connected at these servers are so no more. */
    leave: (replicas: readonly string[], status_at: string, limit: number) =>
      tx
        .updateTable('devices')
        .set({ ...GONE, status_at })
        .where(
          'id',
          'in',
          tx
            .selectFrom('devices')
            .select('id')
            .where(isIn(tx, 'replica', replicas))
            .orderBy('id')
            .limit(limit)
            .$call(locked(tx, 'devices')),
        )
        .returning(['uid', 'company_id', 'connection'])
        .execute(),

    /** Those connected at a server of which nothing is known any more. */
    leaveUnknown: (status_at: string) =>
      tx
        .updateTable('devices')
        .set({ ...GONE, status_at })
        .where('status', '=', sql.lit('connected'))
        .where(sql<boolean>`(replica is null or replica not in (select id from replicas))`)
        .returning(['uid', 'company_id', 'connection'])
        .execute(),

    /** Those connected at this server, with the number of the connection. */
    connectedAt: (replica: string) =>
      tx.selectFrom('devices').select(['uid', 'connection']).where('replica', '=', replica).execute(),

    /** When each of these last said something, unless more is known already, or it is worked on at this moment. */
    async noteSeen(seen: ReadonlyMap<string, string>): Promise<void> {
      const rows = await inScope
        .select(['id', 'uid', 'last_seen_at'])
        .where(isIn(tx, 'uid', [...seen.keys()]))
        .$call(lockedOrPassed(tx, 'devices'))
        .execute()
      const newer = rows.flatMap(({ id, uid, last_seen_at }) => {
        const at = seen.get(uid)!
        return last_seen_at === null || last_seen_at < at ? [[id, at] as const] : []
      })
      if (newer.length === 0) return
      const { text, values } = listed(tx, ['bigint', 'text'], newer)
      await runText(tx, `with seen (id, at) as (${text}) ${NOTE_SEEN}`, values)
    },

    /** Devices of a company that were given something after `since`: whose slot a changed pacing moves. */
    givenSince: (company_id: number, since: string) =>
      inScope
        .select(['id', 'last_given_at'])
        .where('company_id', '=', company_id)
        .where('last_given_at', '>', since)
        .execute(),
  }
}

const SIMS_OF = 'select number from device_sims where device_id = ?'
const NOTE_SEEN = 'update devices set last_seen_at = seen.at from seen where devices.id = seen.id'
