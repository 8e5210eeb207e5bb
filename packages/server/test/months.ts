import type { TestContext } from 'node:test'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { Refusal } from '#server/core/refusal.ts'
import { connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'
import { openDatabase } from '#server/database/open.ts'
import { ensureMonths } from '#server/database/months/months.ts'
import { testClock } from './clock.ts'
import { preparedDatabase } from './engine.ts'
import { insertEnded, insertInFlight, newMessage } from './message-tables.ts'

export const START = '2026-06-10T08:00:00.000Z'
export const log = { info() {} }

/** A database with two companies and one device, a session that can read and write, and a clock. */
export async function begin(t: TestContext, url?: string) {
  url ??= await preparedDatabase()
  const db = await openDatabase({ url, folder: '' })
  const session = await connect(patientSettingsOf(url))
  t.after(() => Promise.all([db.close(), session.close()]))
  const run = async <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    (await session.send(text, values)).rows as Row[]
  return { url, db: { ...db, inOwnSession: db.inOwnSession! }, run, clock: testClock(START) }
}

export async function withCompanies(t: TestContext) {
  const begun = await begin(t)
  await begun.db.write(async (tx) => {
    await createCompany(tx, 'ours', START)
    await createCompany(tx, 'others', START)
  })
  await begun.run(`insert into devices (company_id, uid, secret_hash, created_at, enabled, enabled_at, max_sms_dayly, status,
    status_at) values (1, 'drone', '', '', 1, '', 1, 'connected', '')`)
  // In this clock's month, whatever today's date is.
  await begun.run(`update months set began_at = '2026-06-01' where number = 0`)
  return begun
}

export type Begun = Awaited<ReturnType<typeof withCompanies>>

/** Tries until it works: if another session is maintaining the months, this one skips its turn. */
export async function turn({ db }: Pick<Begun, 'db'>, at: string): Promise<void> {
  for (;;) {
    try {
      return await ensureMonths(db.inOwnSession, new Date(at))
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'not_ready') throw error
    }
  }
}

/** An ended message, or one that a device has if there is no `completed_at`. It is at its second attempt. */
export function add(
  { db }: Begun,
  company_id: number,
  guid: string,
  completed_at: string | null,
): Promise<number> {
  return db.write(async (tx) => {
    const message = { ...newMessage(guid), company_id }
    const latest = { device_id: 1, attempt: 2, assigned_at: START }
    const id =
      completed_at === null
        ? await insertInFlight(tx, message, latest)
        : await insertEnded(tx, message, { ...latest, state: 'sent', attempt_state: 'sent', completed_at })
    const earlier = {
      device_id: 1,
      parts: 1,
      day: '',
      given_at: '',
      finished_at: START,
      state: 'failed',
    } as const
    await tx.insert('attempts', [{ message_id: id, attempt: 1, ...earlier }])
    return id
  })
}

export const guidsOf = async ({ run }: Begun) =>
  (await run<{ guid: string }>('select guid from messages order by id')).map(({ guid }) => guid)
