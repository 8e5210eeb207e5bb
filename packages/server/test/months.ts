import type { TestContext } from 'node:test'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { Refusal } from '#server/core/refusal.ts'
import { connect, patientSettingsOf } from '@sdd/storage/postgres/connection.ts'
import { openDatabase } from '#server/database/open.ts'
import { ensureMonths } from '#server/database/months/months.ts'
import { testClock } from './clock.ts'
import { preparedDatabase } from './engine.ts'

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

/** Ended messages, each with an attempt; or one open message. */
export async function add({ run }: Begun, company_id: number, guid: string, completed_at: string | null) {
  const [row] = await run<{ id: number }>(
    `insert into messages (company_id, guid, device_id, device_guid, message, message_to, parts, priority, silent,
      queue_timestamp, state, step, attempt, due_at, expires_at, completed_at)
    values ($1, $2, 1, 'drone', 'hola', '+34600111222', 1, 0, 0, '', 'sent', $3, 1, '', '', $4) returning id`,
    [company_id, guid, completed_at === null ? 'given' : 'finished', completed_at],
  )
  await run(
    `insert into attempts (message_id, attempt, device_id, device_uid, parts, day, given_at, resend_at, finished_at, state)
      values ($1, 1, 1, 'drone', 1, '', '', '', $2, 'sent')`,
    [row!.id, completed_at],
  )
  return row!.id
}

export const guidsOf = async ({ run }: Begun) =>
  (await run<{ guid: string }>('select guid from messages order by id')).map(({ guid }) => guid)

export function newMessage(guid: string) {
  return {
    company_id: 1,
    guid,
    message: 'hola',
    message_to: '+34600111222',
    parts: 1,
    priority: 1,
    silent: 0,
    queue_timestamp: START,
    error_block: 0,
    state: 'queued',
    step: 'waiting',
    attempt: 0,
    due_at: START,
    expires_at: START,
    task: 1,
    lane: '',
  } as const
}
