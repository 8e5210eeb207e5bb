import type { TaskFilter } from '@sdd/contract/tasks.ts'
import { type Selectable, sql } from 'kysely'
import { companyIds } from '#server/companies/companies.ts'
import type { Scope } from '#server/core/context.ts'
import { inList, isIn, listValue, lockedOrPassed, isPostgres, runText } from '#server/database/dialect.ts'
import { listed, putRow, rowsOf } from '#server/database/direct.ts'
import type { Messages, Tx } from '#server/database/schema.ts'
import type { Recipients } from '#server/database/task-tables.ts'
import { addUp, type Total } from '#server/database/totals.ts'
import { CONTENT } from './draft.ts'

const columns = [
  'id',
  'company_id',
  'guid',
  'device_id',
  'device_guid',
  'from_number',
  'message_to',
  'message',
  'parts',
  'silent',
  'sent_stamp',
  'queue_timestamp',
  'assigned_at',
  'completed_at',
  'due_at',
  'expires_at',
  'state',
  'step',
  'attempt',
  'error_msg',
  'answer_2_timestamp',
  'answer_3',
  'answer_3_timestamp',
  'lane',
  'lane_until',
  'avoid_device_id',
  'discard_asked_at',
] as const

export type TaskRow = Awaited<ReturnType<ReturnType<typeof taskStore>['page']>>[number]

/** The messages that other systems handed in. */
export function taskStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('messages')
    .where(sql<boolean>`task = 1`)
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )

  /** Of each part the newest: an index has them in that order by company and step. */
  function pageOfCompany(company_id: number, filter: TaskFilter, before: number | undefined, limit: number) {
    const [first, ...others] = conditions[filter].map((condition) => {
      const part = tx
        .selectFrom('messages')
        .select(columns)
        .where('company_id', '=', company_id)
        .where(sql<boolean>`task = 1`)
        .where(condition)
        .$if(before !== undefined, (query) => query.where('id', '<', before!))
        .orderBy('id', 'desc')
        .limit(limit)
      return tx.selectFrom(part.as('part')).selectAll()
    })
    return others
      .reduce((all, part) => all.unionAll(part), first!)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  }

  return {
    byId: (id: number) => inScope.select(columns).where('id', '=', id).executeTakeFirstOrThrow(),

    byGuid: (guid: string) =>
      inScope
        .select(columns)
        .where('guid', '=', guid)
        .$if(scope === 'all', (query) => query.where('company_id', 'in', companyIds(tx)))
        .orderBy('id', 'desc')
        .executeTakeFirst(),

    /** The newest first, from below `before`. */
    async page(filter: TaskFilter, before: number | undefined, limit: number) {
      const companies = scope === 'all' ? await companyIds(tx).execute() : [{ id: scope.company_id }]
      const pages = await Promise.all(companies.map(({ id }) => pageOfCompany(id, filter, before, limit)))
      return pages
        .flat()
        .sort((one, other) => other.id - one.id)
        .slice(0, limit)
    },
  }
}

/** A message by its guid, with what tells whether it is the same task. */
export type KnownMessage = Pick<Selectable<Messages>, 'guid' | 'task' | (typeof CONTENT)[number]>

/** What messages of the company there are by these guids. */
export async function knownGuids(
  tx: Tx,
  company_id: number,
  guids: readonly string[],
): Promise<Map<string, KnownMessage>> {
  if (guids.length === 0) return new Map()
  const byGuid = (rows: KnownMessage[]) => new Map(rows.map((row) => [row.guid, row]))
  if (isPostgres(tx)) return byGuid(await runText(tx, KNOWN_IN_MONTHS, [company_id, guids.toSorted()]))
  const { text, values } = listed(
    tx,
    ['bigint', 'text'],
    guids.map((guid) => [company_id, guid]),
  )
  return byGuid(await rowsOf(tx, `${KNOWN} where (company_id, guid) in (${text})`, values))
}

const KNOWN = `select guid, task, ${CONTENT.join(', ')} from messages`

/** Each month goes through all of them in their order: a third of what each of them takes by itself. */
const KNOWN_IN_MONTHS = `${KNOWN} where company_id = ? and guid = any(?)`

/** How many tasks wait in each lane of a company; a lane without any has no row. */
export function laneStore(tx: Tx, company_id: number) {
  return {
    /** Which lanes the device's SIMs serve, of those in which tasks wait. */
    ofSims: async (device_id: number): Promise<string[]> => {
      const rows = await tx
        .selectFrom('device_sims')
        .innerJoin('lanes', (join) =>
          join.on('lanes.company_id', '=', company_id).on('lane', '=', sql<string>`'sim:' || number`),
        )
        .select('lane')
        .where('device_id', '=', device_id)
        .execute()
      return rows.map(({ lane }) => lane)
    },

    /** Adds to the lane's count, or takes away from it where negative. */
    add: (lane: string, tasks: number) => addUp(tx, WAITING, [company_id, lane], tasks),
  }
}

/** How many tasks wait in these lanes of these companies, by `company lane`. */
export async function laneCounts(
  tx: Tx,
  companies: readonly number[],
  lanes: readonly string[],
): Promise<Map<string, number>> {
  if (lanes.length === 0) return new Map()
  const rows = await tx
    .selectFrom('lanes')
    .selectAll()
    .where(isIn(tx, 'company_id', companies))
    .where(isIn(tx, 'lane', lanes))
    .execute()
  return new Map(rows.map(({ company_id, lane, waiting }) => [`${company_id} ${lane}`, waiting]))
}

/** All lanes of the scope in which tasks wait, but those of single devices. */
export function lanesOf(tx: Tx, scope: Scope) {
  return tx
    .selectFrom('lanes')
    .selectAll()
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )
    .execute()
}

/** How many tasks wait in lanes of each kind, in all companies. */
export async function countWaiting(tx: Tx): Promise<{ lane: string; waiting: number }[]> {
  const { rows } = await sql<{ lane: string; waiting: number }>`
    select case when lane = '' then 'any' when lane = 'later' then lane else 'sim' end as lane, sum(waiting) as waiting
      from lanes group by 1
    union all select 'device', coalesce(sum(sticky), 0) from devices where sticky > 0`.execute(tx)
  return rows
}

export type LanedTask = Awaited<ReturnType<ReturnType<typeof laneWalk>['due']>>[number]

/** Tasks in lanes, of all companies alike. */
export function laneWalk(tx: Tx) {
  const tasks = tx
    .selectFrom('messages')
    .select(['id', 'company_id', 'lane', 'from_number', 'message_to', 'avoid_device_id'])
    .$call(lockedOrPassed(tx, 'messages'))

  return {
    /** Those whose time in their lane is over, the longest first. */
    due: (now: string, limit: number) =>
      tasks.where('lane_until', '<=', now).orderBy('lane_until').limit(limit).execute(),

    ofDevice: (company_id: number, device_id: number, limit: number) =>
      tasks
        .where('company_id', '=', company_id)
        .where('lane', '=', `device:${device_id}`)
        .limit(limit)
        .execute(),

    /** Those that ask for a SIM have been in the device's lane long enough. */
    endStay: (company_id: number, device_id: number, now: string) =>
      tx
        .updateTable('messages')
        .set({ lane_until: now })
        .where('company_id', '=', company_id)
        .where('lane', '=', `device:${device_id}`)
        .where('from_number', 'is not', null)
        .execute(),

    move: (ids: readonly number[], place: { lane: string; lane_until: string | null }) =>
      tx
        .updateTable('messages')
        .set(place)
        .where(isIn(tx, 'id', ids))
        .execute(),
  }
}

/** Which device wrote last to whom, by what tells numbers apart (`numberKey`). */
export function recipientStore(tx: Tx, company_id: number) {
  return {
    /** The devices that wrote to these numbers since then, where they are there and may send now. */
    devicesOf: async (numbers: readonly string[], since: string): Promise<Map<string, number>> => {
      const values = [company_id, listValue(tx, numbers)]
      const rows = await rowsOf<Pick<Recipients, 'number' | 'device_id' | 'last_at'>>(tx, usual(tx), values)
      // Not in the statement: SQLite would go through all that were written to since then, by the index of that time.
      const recent = rows.filter(({ last_at }) => last_at >= since)
      return new Map(recent.map(({ number, device_id }) => [number, device_id]))
    },

    hasSim: async (device_id: number, number: string): Promise<boolean> => {
      const row = await tx
        .selectFrom('device_sims')
        .select('device_id')
        .where('device_id', '=', device_id)
        .where('number', '=', number)
        .executeTakeFirst()
      return row !== undefined
    },

    remember: (number: string, device_id: number, now: string) =>
      putRow(tx, 'recipients', { company_id, number }, { device_id, last_at: now }),
  }
}

const usual = (tx: Tx) => `select number, device_id, last_at
  from recipients join devices on devices.id = recipients.device_id
  where recipients.company_id = ? and number ${inList(tx)} and status = 'connected' and enabled = 1
    and unlinked_at is null and quarantined_until is null and sent_parts < max_sms_dayly`

const WAITING: Total = {
  table: 'lanes',
  types: ['bigint', 'text', 'bigint'],
  add: (rows) => `insert into lanes (company_id, lane, waiting) ${rows}
    on conflict (company_id, lane) do update set waiting = lanes.waiting + excluded.waiting`,
  less: 'delete from lanes where company_id = ? and lane = ? and waiting <= 0',
}

/** To the letter those of the partial indexes: each filter has its own. */
const waiting = sql<boolean>`step <> 'finished' and step = 'waiting'`
const given = sql<boolean>`step <> 'finished' and step = 'given'`
const finished = sql<boolean>`step = 'finished'`

/** A task is in one step at any time: those of several are parts of the page. */
const conditions = {
  all: [waiting, given, finished],
  received: [waiting],
  started: [given],
  completed: [sql<boolean>`${finished} and state not in ('expired', 'cancelled')`],
}
