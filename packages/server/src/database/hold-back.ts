import type { Role } from '@sdd/contract/core/roles.ts'
import type { Tx } from './schema.ts'

/** What a restore has done to the database, and what an operator has to look at. */
export type HeldBack = {
  keep_access: boolean
  /** Messages that had not ended when the backup was made. */
  waiting: number
  companies: number
  /** The users who were enabled in the backup; of these only the superadmins still are, unless access was kept. */
  users: { name: string; role: Role; company_id: number }[]
  /** The API keys that worked in the backup; they are revoked, unless access was kept. */
  api_keys: { name: string; company_id: number }[]
}

/**
 * Makes a database that came out of a backup safe to start. Sending is off, as messages may have gone out since.
 * Sessions and link codes are gone. Unless `keep_access`, nobody gets back access that was taken away since: API keys
 * are revoked, only superadmins stay enabled, everybody has to set a new password, and recovery codes, which may have
 * been used, are gone.
 */
export async function holdBack(tx: Tx, now: Date, keep_access: boolean): Promise<HeldBack> {
  const at = now.toISOString()
  const users = await tx
    .selectFrom('users')
    .select(['name', 'role', 'companyId as company_id'])
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute()
  const api_keys = await tx
    .selectFrom('api_keys')
    .select(['name', 'company_id'])
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]))
    .orderBy('id')
    .execute()
  await tx.deleteFrom('sessions').execute()
  await tx.deleteFrom('link_codes').execute()
  await tx.updateTable('settings').set({ send_enabled: 0, send_enabled_at: at }).execute()
  if (!keep_access) await takeAccess(tx, at)
  const { companies } = await tx
    .selectFrom('settings')
    .select((select) => select.fn.countAll<number>().as('companies'))
    .executeTakeFirstOrThrow()
  const { waiting } = await tx
    .selectFrom('messages')
    .select((select) => select.fn.countAll<number>().as('waiting'))
    .where('step', '<>', 'finished')
    .executeTakeFirstOrThrow()
  return { keep_access, waiting, companies, users, api_keys }
}

async function takeAccess(tx: Tx, at: string): Promise<void> {
  await tx.updateTable('api_keys').set({ revoked_at: at }).where('revoked_at', 'is', null).execute()
  await tx.updateTable('users').set({ must_change_password: 1 }).execute()
  await tx.updateTable('users').set({ enabled: 0 }).where('role', '<>', 'superadmin').execute()
  await tx.deleteFrom('recovery_codes').execute()
}
