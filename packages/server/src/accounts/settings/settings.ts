import type { GlobalSettings, GlobalSettingsChange } from '@sdd/contract/accounts/settings.ts'
import { differences, recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import type { Numbers } from './numbers.ts'
import { sendingHoursOf } from './sending-hours.ts'
import { type FreshSettings, type SettingsRow, settingsStore, shareUnread } from './store.ts'

type Needs = {
  db: Database
  live: Live
  clock: Clock
  numbers: Pick<Numbers, 'changing'>
  wake(): void
  /** Called when `spoof_time_secs` changed, in this transaction, to move the pacing slots. */
  paceChanged(tx: Tx, company_id: number, spoof_time_secs: number): Promise<void>
  /** Called when `sending_hours` changed, in this transaction: held messages are looked at again. */
  hoursChanged(tx: Tx, company_id: number): Promise<void>
  /** Called when `inbox_role` changed, in this transaction: who takes care of conversations must read them. */
  inboxRoleChanged(tx: Tx, company_id: number): Promise<void>
}

/** The settings of a new company: no pacing, sending on. */
export function createSettings(tx: Tx, company_id: number, now: string) {
  return settingsStore(tx, 'all').insert({
    company_id,
    spoof_time_secs: 0,
    send_enabled: 1,
    send_enabled_at: now,
  })
}

/** The settings of one company in the scope. */
export async function settingsOf(tx: Tx, scope: Scope, company_id: number) {
  return known(await settingsStore(tx, scope).of(company_id), company_id)
}

function known(settings: SettingsRow | undefined, company_id: number): SettingsRow {
  if (settings === undefined) throw new Refusal('unknown_company', `There is no company ${company_id}.`)
  return settings
}

/**
 * The same with a shared lock, for work that submits or sends messages by these settings. Changing them or blocking a
 * number waits for its commit.
 */
export async function sharedSettings(tx: Tx, scope: Scope, company_id: number) {
  return known(await settingsStore(tx, scope).together(company_id), company_id)
}

/** The same with an exclusive lock, for work that must not run at the same time as work that uses these settings. */
export async function lockedSettings(tx: Tx, scope: Scope, company_id: number) {
  return known(await settingsStore(tx, scope).alone(company_id), company_id)
}

/**
 * Takes a shared lock on the company's settings for the rest of the work. Returns those of them that another server
 * could have changed.
 */
export function shareSettingsLock(tx: Tx, company_id: number): Promise<FreshSettings> {
  return shareUnread(tx, company_id)
}

/** Stores the version of the company's destinations or routes in the settings with this id. */
export async function storeRuleVersion(
  tx: Tx,
  scope: Scope,
  id: number,
  versions: { destinations: number } | { routes: number },
): Promise<void> {
  await settingsStore(tx, scope).update(id, versions)
}

/** The settings of every company, by its id. */
export async function settingsByCompany(tx: Tx) {
  const rows = await settingsStore(tx, 'all').list()
  return new Map(rows.map((row) => [row.company_id, row]))
}

/** One record per company, the caller's own first. */
export async function listGlobalSettings(
  { db }: Pick<Needs, 'db'>,
  caller: Caller,
): Promise<GlobalSettings[]> {
  const rows = await settingsStore(db.read, caller.scope).list()
  const held = await settingsStore(db.read, caller.scope).held(rows.map(({ company_id }) => company_id))
  const own = (row: { company_id: number }) => (row.company_id === caller.company_id ? 0 : 1)
  return rows.sort((a, b) => own(a) - own(b)).map((row) => asRecord(row, held.get(row.company_id) ?? 0))
}

/**
 * Saves the settings of the caller's company, or of another company that a superadmin names. `unknown_company` if the
 * caller sees no such company.
 */
export async function saveGlobalSettings(
  { db, live, clock, numbers, wake, paceChanged, hoursChanged, inboxRoleChanged }: Needs,
  caller: Caller,
  change: GlobalSettingsChange,
  company_id: number = caller.company_id,
): Promise<GlobalSettings> {
  const send_enabled = change.send_enabled ? 1 : 0
  const now = instant(clock.now())
  const save = async (tx: Tx) => {
    const before = await lockedSettings(tx, caller.scope, company_id)
    const after = {
      ...before,
      spoof_time_secs: change.spoof_time_secs,
      send_enabled,
      retention_days: change.retention_days ?? before.retention_days,
      stop_words: change.stop_words ? JSON.stringify(change.stop_words) : before.stop_words,
      new_devices_enabled: (change.new_devices_enabled ?? before.new_devices_enabled === 1) ? 1 : 0,
      require_second_factor: (change.require_second_factor ?? before.require_second_factor === 1) ? 1 : 0,
      default_country: change.default_country ?? before.default_country,
      sending_hours: change.sending_hours ? JSON.stringify(change.sending_hours) : before.sending_hours,
      inbox_role: change.inbox_role ?? before.inbox_role,
      ...(before.send_enabled !== send_enabled && {
        send_enabled_at: now,
        sending_changed_at: now,
        sending_changed_by: caller.name,
      }),
    } as const
    await settingsStore(tx, caller.scope).update(before.id, after)
    if (before.spoof_time_secs !== after.spoof_time_secs) {
      await paceChanged(tx, company_id, after.spoof_time_secs)
    }
    // Short codes have the time zones of the country.
    if (before.sending_hours !== after.sending_hours || before.default_country !== after.default_country)
      await hoursChanged(tx, company_id)
    const readers_changed = before.inbox_role !== after.inbox_role
    if (readers_changed) await inboxRoleChanged(tx, company_id)
    const changes = differences(shown(before), shown(after))
    await recordChange(tx, clock, caller, { company_id, action: 'settings.saved', name: 'Global', changes })
    const held = await settingsStore(tx, caller.scope).held([company_id])
    return { saved: asRecord(after, held.get(company_id) ?? 0), rules: after, readers_changed }
  }
  const { saved, readers_changed } = await numbers.changing(company_id, () => db.write(save))
  live.changed(company_id, 'settings', 'audit')
  if (readers_changed) live.changed(company_id, 'conversations')
  wake()
  return saved
}

function asRecord(row: SettingsRow, held: number): GlobalSettings {
  const { id, company_id, sending_changed_at, sending_changed_by } = row
  return { id, company_id, held, ...shown(row), sending_changed_at, sending_changed_by }
}

/** The settings that a person can change, in the form of the API. */
function shown(row: SettingsRow) {
  const { spoof_time_secs, send_enabled, retention_days, stop_words, new_devices_enabled } = row
  return {
    spoof_time_secs,
    send_enabled: send_enabled === 1,
    retention_days,
    stop_words: JSON.parse(stop_words) as string[],
    new_devices_enabled: new_devices_enabled === 1,
    require_second_factor: row.require_second_factor === 1,
    default_country: row.default_country,
    sending_hours: sendingHoursOf(row.sending_hours),
    inbox_role: row.inbox_role,
  }
}
