import {
  type AlertSettings,
  type AlertSettingsChange,
  DEFAULT_ALERT_SETTINGS,
} from '@sdd/contract/outward/alerts.ts'
import { differences, recordChange } from '#server/accounts/audit/audit.ts'
import { lockedSettings, settingsOf } from '#server/accounts/settings/settings.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Live } from '#server/core/live.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { alertSettingsStore } from './store.ts'

/** How the channels of a company are told. `unknown_company` if the caller sees no such company. */
export async function readAlertSettings(
  { db }: { db: Database },
  caller: Caller,
  company_id: number = caller.company_id,
): Promise<AlertSettings> {
  await settingsOf(db.read, caller.scope, company_id)
  return alertSettingsOf(db.read, company_id)
}

/** Changes the given ones. `unknown_company` as above. */
export async function saveAlertSettings(
  { db, clock, live }: { db: Database; clock: Clock; live: Pick<Live, 'changed'> },
  caller: Caller,
  change: AlertSettingsChange,
  company_id: number = caller.company_id,
): Promise<AlertSettings> {
  const after = await db.write(async (tx) => {
    await lockedSettings(tx, caller.scope, company_id)
    const before = await alertSettingsOf(tx, company_id)
    const {
      join_secs = before.join_secs,
      repeat_mins = before.repeat_mins,
      tell_resolved = before.tell_resolved,
    } = change
    await alertSettingsStore(tx).put(company_id, {
      join_secs,
      repeat_mins,
      tell_resolved: tell_resolved ? 1 : 0,
    })
    const after = { join_secs, repeat_mins, tell_resolved }
    const changes = differences(before, after)
    const action = 'alert_settings.saved'
    await recordChange(tx, clock, caller, { company_id, action, name: 'Alerts', changes })
    return after
  })
  live.changed(company_id, 'alerts', 'audit')
  return after
}

/** The settings of a company, or the default ones. */
export async function alertSettingsOf(tx: Tx, company_id: number): Promise<AlertSettings> {
  const row = await alertSettingsStore(tx).of(company_id)
  if (row === undefined) return DEFAULT_ALERT_SETTINGS
  const { join_secs, repeat_mins, tell_resolved } = row
  return { join_secs, repeat_mins, tell_resolved: tell_resolved === 1 }
}
