import type { TaskFilter } from '@sdd/contract/tasks.ts'
import { sql } from 'kysely'
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

/** To the letter those of the partial indexes: each filter has its own. */
const conditions = {
  all: sql<boolean>`true`,
  received: sql<boolean>`step = 'waiting'`,
  started: sql<boolean>`step = 'given'`,
  completed: sql<boolean>`step = 'finished' and state not in ('expired', 'cancelled')`,
}
