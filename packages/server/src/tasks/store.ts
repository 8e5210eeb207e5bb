import type { TaskFilter } from '@sdd/contract/tasks.ts'
import { CompiledQuery, sql } from 'kysely'
import type { Scope } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'

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

  return {
    byId: (id: number) => inScope.select(columns).where('id', '=', id).executeTakeFirstOrThrow(),

    byGuid: (guid: string) =>
      inScope.select(columns).where('guid', '=', guid).orderBy('id', 'desc').executeTakeFirst(),

    /** The newest first, from below `before`. */
    page: (filter: TaskFilter, before: number | undefined, limit: number) =>
      inScope
        .select(columns)
        .where(conditions[filter])
        .$if(before !== undefined, (query) => query.where('id', '<', before!))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
  }
}

/** What messages of the company there are by these guids, with what tells the same content. */
export async function knownGuids(
  tx: Tx,
  company_id: number,
  guids: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = await tx
    .selectFrom('messages')
    .select(['guid', 'content_hash'])
    .where('company_id', '=', company_id)
    // One text however many there are: each text is a statement of its own.
    .where(sql<boolean>`guid in (select value from json_each(${JSON.stringify(guids)}))`)
    .execute()
  return new Map(rows.map(({ guid, content_hash }) => [guid, content_hash]))
}

/** How many tasks wait in each lane of a company; a lane without any has no row. */
export function laneStore(tx: Tx, company_id: number) {
  return {
    /** Adds to the lane's count, or takes away from it where negative. */
    async add(lane: string, tasks: number): Promise<void> {
      await tx.executeQuery(CompiledQuery.raw(COUNT_LANE, [company_id, lane, tasks]))
      if (tasks < 0)
        await tx
          .deleteFrom('lanes')
          .where('company_id', '=', company_id)
          .where('lane', '=', lane)
          .where('waiting', '<=', 0)
          .execute()
    },
  }
}

const COUNT_LANE = `insert into lanes (company_id, lane, waiting) values (?, ?, ?)
  on conflict (company_id, lane) do update set waiting = lanes.waiting + excluded.waiting`

/** To the letter those of the partial indexes: each filter has its own. */
const conditions = {
  all: sql<boolean>`true`,
  received: sql<boolean>`step = 'waiting'`,
  started: sql<boolean>`step = 'given'`,
  completed: sql<boolean>`step = 'finished' and state not in ('expired', 'cancelled')`,
}
