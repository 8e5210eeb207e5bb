import { isIn, locked, perEngine, shared, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { STAY_IN_MONTH } from '#server/database/months/months.ts'
import type { Change, Settings, Tx } from '#server/database/schema.ts'

export type SettingsRow = Selectable<Settings>

/** Those of the settings that decide whether other rules, which are kept in memory, are up to date. */
type Fresh = Pick<SettingsRow, 'destinations' | 'routes' | 'default_country' | 'sending_hours'>
/** `destinations` and `routes` are versions of rules in other tables. Undefined if only this server writes them. */
export type FreshSettings = Fresh | Record<keyof Fresh, undefined>

/** Takes the lock of `together`, but reads only these. Until the commit, no new month of messages begins. */
export async function shareUnread(tx: Tx, company_id: number): Promise<FreshSettings> {
  if (!tx.writing) return UNKNOWN
  return (await tx.first(SHARED_UNREAD, { company_id })) ?? UNKNOWN
}

export function settingsStore(tx: Tx, scope: Scope) {
  return {
    list: () => tx.rows(LIST, within(scope)),

    of: (company_id: number) => tx.first(OF, { of: company_id, ...within(scope) }),

    /** The same with an exclusive lock, for work that changes the settings. `together` waits for it. */
    alone: (company_id: number) => tx.first(LOCKED, { of: company_id, ...within(scope) }),

    /** The same with a shared lock, for work that uses the settings. They cannot change before its commit. */
    together: (company_id: number) => tx.first(SHARED, { of: company_id, ...within(scope) }),

    insert: (settings: Insertable<Settings>) => tx.insert('settings', [settings]),

    /** The number of unfinished messages on the devices of these companies, by company. */
    held: async (company_ids: readonly number[]) => {
      const rows = await tx.rows(HELD, { company_ids })
      return new Map(rows.map(({ company_id, held }) => [company_id, held]))
    },

    update: (id: number, change: Change<Settings>) => tx.update('settings', { id }, change),
  }
}

/** SQLite has a single writer, so it needs no shared lock. */
const UNKNOWN = {
  destinations: undefined,
  routes: undefined,
  default_country: undefined,
  sending_hours: undefined,
}

const SETTINGS = `select id, company_id, spoof_time_secs, send_enabled, send_enabled_at, sending_changed_at, sending_changed_by,
    retention_days, stop_words, destinations, require_second_factor, new_devices_enabled, default_country, sending_hours,
    inbox_role, routes
  from settings`

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const LIST = sql<SettingsRow, InScope>`${SETTINGS} where true ${IN_SCOPE} order by company_id`

type OfCompany = { of: number } & InScope

const OF = sql<SettingsRow, OfCompany>`${SETTINGS} where company_id = :of ${IN_SCOPE}`

const LOCKED = sql<SettingsRow, OfCompany>`
  ${SETTINGS} where company_id = :of ${IN_SCOPE} ${locked('settings')}`

const SHARED = sql<SettingsRow, OfCompany>`
  ${SETTINGS} where company_id = :of ${IN_SCOPE} ${shared('settings')}`

const SHARED_UNREAD = sql<Fresh, { company_id: number }>`
  select destinations, routes, default_country, sending_hours ${perEngine({ sqlite: '', postgres: `, ${STAY_IN_MONTH}` })} from settings
  where company_id = :company_id ${shared('settings')}`

const HELD = sql<{ company_id: number; held: number }, { company_ids: readonly number[] }>`
  select company_id, sum(unfinished) as held from devices join capacity on capacity.device_id = devices.id
  where ${isIn('company_id', 'company_ids')} and unlinked_at is null
  group by company_id`
