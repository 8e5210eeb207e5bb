import { ensureCompany } from '#server/accounts/companies/companies.ts'
import { type Database, openDatabase } from '#server/database/open.ts'
import { preparedDatabase } from './engine.ts'

/** The databases of two servers over one PostgreSQL. Company 1 has a connected device `drone` with the id 1. */
export async function openTwoDatabases(now: string): Promise<{ one: Database; other: Database }> {
  const url = await preparedDatabase()
  const one = await openDatabase({ url, folder: '' })
  await one.write(async (tx) => {
    await ensureCompany(tx, 1, now)
    await tx.query(
      `insert into devices (id, company_id, uid, secret_hash, created_at, enabled, enabled_at, max_sms_dayly, status,
        status_at) values (1, 1, 'drone', '', '', 1, '', 100, 'connected', '') returning id`,
    )
    await tx.query('insert into capacity (device_id) values (1) returning device_id')
  })
  return { one, other: await openDatabase({ url, folder: '' }) }
}
