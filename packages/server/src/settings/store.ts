import type { Updateable } from 'kysely'
import type { Scope } from '#server/core/context.ts'
import type { Settings, Tx } from '#server/database/schema.ts'

export function settingsStore(tx: Tx, scope: Scope) {
  const scoped = tx
    .selectFrom('settings')
    .select(['id', 'company_id', 'spoof_time_secs', 'send_enabled', 'send_enabled_at'])
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    list: () => scoped.orderBy('company_id').execute(),

    of: (company_id: number) => scoped.where('company_id', '=', company_id).executeTakeFirst(),

    insert: (settings: {
      company_id: number
      spoof_time_secs: number
      send_enabled: 0 | 1
      send_enabled_at: string
    }) => tx.insertInto('settings').values(settings).execute(),

    update: (id: number, change: Updateable<Settings>) =>
      tx.updateTable('settings').set(change).where('id', '=', id).execute(),
  }
}
