import type { Role } from '@sdd/contract/core/roles.ts'
import { perEngine, sql } from '@sdd/storage/sql.ts'
import type { Tx } from './schema.ts'

/** The result of a restore, for the operator to check. */
export type SafeRestore = {
  keep_access: boolean
  /** Messages that were unfinished when the backup was made. */
  waiting: number
  companies: number
  /** The campaigns that were not over, now paused, and how many of their rows had no message in the backup. */
  campaigns: { name: string; company_id: number; pending: number }[]
  /** The users enabled in the backup. Unless access was kept, only the superadmins among them still are. */
  users: { name: string; role: Role; company_id: number }[]
  /** The API keys that worked in the backup. They are revoked, unless access was kept. */
  api_keys: { name: string; company_id: number }[]
}

type At = { at: string }

/**
 * Makes a restored database safe to start. Sending is off and campaigns are paused, because messages may have gone out
 * since the backup. Sessions and link codes are gone. Unless `keep_access`, access that was revoked since the backup
 * must not come back. So API keys are revoked, only superadmins stay enabled, and every user must set a new password.
 * Recovery codes are gone, because they may have been used. The ids of received SMS go on above those since the backup:
 * callers of `GET /api/inbox` ask for those after the last one that they have read.
 */
export async function secureRestore(tx: Tx, now: Date, keep_access: boolean): Promise<SafeRestore> {
  const at = now.toISOString()
  const users = await tx.rows(ENABLED_USERS)
  const api_keys = await tx.rows(WORKING_KEYS, { at })
  await tx.run(END_SESSIONS)
  await tx.run(END_LINK_CODES)
  await tx.run(STOP_SENDING, { at })
  await tx.run(PAUSE_CAMPAIGNS, { at })
  await tx.run(SKIP_SMS_IDS)
  if (!keep_access) for (const statement of TAKE_ACCESS) await tx.run(statement, { at })
  const { waiting, companies } = (await tx.first(COUNTS))!
  const campaigns = await tx.rows(CAMPAIGNS)
  return { keep_access, waiting, companies, campaigns, users, api_keys }
}

const ENABLED_USERS = sql<SafeRestore['users'][number]>`
  select name, role, "companyId" as company_id from users where enabled = 1 order by id`

const WORKING_KEYS = sql<SafeRestore['api_keys'][number], At>`
  select name, company_id from api_keys
  where revoked_at is null and (expires_at is null or expires_at > :at) order by id`

const END_SESSIONS = sql`delete from sessions`
const END_LINK_CODES = sql`delete from link_codes`
const STOP_SENDING = sql<never, At>`
  update settings set send_enabled = 0, send_enabled_at = :at, sending_changed_at = :at, sending_changed_by = null`

/** More SMS than a server receives between two backups. */
const SKIPPED = '1000000'

const SKIP_SMS_IDS = sql`${perEngine({
  sqlite: `update sqlite_sequence set seq = ${SKIPPED} + max(seq, (select coalesce(max(id), 0) from inbox))
    where name = 'inbox'`,
  postgres: `select setval('inbox_id_seq', nextval('inbox_id_seq') + ${SKIPPED})`,
})}`

/** At the next start, the messages of campaigns that no user has paused are held: see `holdRestored`. */
const PAUSE_CAMPAIGNS = sql<never, At>`
  update campaigns set state = 'paused', paused_at = :at, paused_by = null where state in ('scheduled', 'running')`

const CAMPAIGNS = sql<SafeRestore['campaigns'][number]>`
  select name, company_id, coalesce((select count from campaign_counts
    where campaign_id = campaigns.id and figure = 'pending'), 0) as pending
  from campaigns where state = 'paused' order by id`

const REVOKE_KEYS = sql<never, At>`update api_keys set revoked_at = :at where revoked_at is null`
const RENEW_PASSWORDS = sql<never, At>`update users set must_change_password = 1`
const DISABLE_USERS = sql<never, At>`update users set enabled = 0 where role <> 'superadmin'`
const END_RECOVERY_CODES = sql<never, At>`delete from recovery_codes`
const TAKE_ACCESS = [REVOKE_KEYS, RENEW_PASSWORDS, DISABLE_USERS, END_RECOVERY_CODES]

const COUNTS = sql<{ waiting: number; companies: number }>`
  select (select count(*) from settings) as companies,
    (select count(*) from queue) + (select count(*) from in_flight where completed_at is null) as waiting`
