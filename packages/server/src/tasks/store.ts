import type { TaskFilter } from '@sdd/contract/tasks/tasks.ts'
import { type Selectable, sql } from 'kysely'
import { companyIds } from '#server/accounts/companies/companies.ts'
import type { Scope } from '#server/core/context.ts'
import { isPostgres, runText } from '#server/database/dialect.ts'
import { listed, rowsOf } from '#server/database/direct.ts'
import type { Messages, Tx } from '#server/database/schema.ts'
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
