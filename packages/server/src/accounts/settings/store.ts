import type { Updateable } from 'kysely'
import type { Scope } from '#server/core/context.ts'
import { isIn, isWriting, locked, runText, shared } from '#server/database/dialect.ts'
import { STAY_IN_MONTH } from '#server/database/months/months.ts'
import type { Settings, Tx } from '#server/database/schema.ts'

const SHARE = `select destinations, ${STAY_IN_MONTH} from settings where company_id = ? for share`

export type SettingsRow = Awaited<ReturnType<ReturnType<typeof settingsStore>['list']>>[number]

/** Acts by the settings of a company as `together`, without reading more of them than which destinations it has; and no month of messages begins before the commit. */
export async function shareUnread(tx: Tx, company_id: number): Promise<{ destinations: number | undefined }> {
  if (!isWriting(tx)) return ALONE
  const [row] = await runText<{ destinations: number }>(tx, SHARE, [company_id])
  return row ?? ALONE
}

const ALONE = { destinations: undefined }

export function settingsStore(tx: Tx, scope: Scope) {
  const scoped = tx
    .selectFrom('settings')
    .select(['id', 'company_id', 'spoof_time_secs', 'send_enabled', 'send_enabled_at'])
    .select(['retention_days', 'stop_words', 'new_devices_enabled', 'destinations'])
    .select('require_second_factor')
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    list: () => scoped.orderBy('company_id').execute(),

    of: (company_id: number) => scoped.where('company_id', '=', company_id).executeTakeFirst(),

    /** The same, for one who changes what those act by who share them: they wait for one another. */
    alone: (company_id: number) =>
      scoped.where('company_id', '=', company_id).$call(locked(tx, 'settings')).executeTakeFirst(),

    /** The same, for one who acts by them: others may too, but nobody has them alone before the commit. */
    together: (company_id: number) =>
      scoped.where('company_id', '=', company_id).$call(shared(tx, 'settings')).executeTakeFirst(),

    insert: (settings: {
      company_id: number
      spoof_time_secs: number
      send_enabled: 0 | 1
      send_enabled_at: string
    }) => tx.insertInto('settings').values(settings).execute(),

    /** Messages that the devices of these companies have and have not finished, by company. */
    held: async (company_ids: readonly number[]) => {
      const rows = await tx
        .selectFrom('devices')
        .select((select) => ['company_id', select.fn.sum<number>('unfinished').as('held')])
        .where(isIn(tx, 'company_id', company_ids))
        .where('unlinked_at', 'is', null)
        .groupBy('company_id')
        .execute()
      return new Map(rows.map(({ company_id, held }) => [company_id, held]))
    },

    update: (id: number, change: Updateable<Settings>) =>
      tx.updateTable('settings').set(change).where('id', '=', id).execute(),
  }
}
