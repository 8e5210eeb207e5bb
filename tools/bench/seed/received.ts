import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { DATABASE_FILE } from '../../../packages/server/src/database/files.ts'
import { connect, patientSettingsOf } from '../../../packages/storage/src/postgres/connection.ts'
import type { Home } from '../server.ts'
import { CHUNK } from './statements.ts'

/** Received SMS in conversations, from devices with the ids from 1 on. */
export type Received = { sms: number; conversations: number; devices: number }

/** A number with the eight digits of a conversation. */
export const senderOf = (conversation: number) => `+347${String(10_000_000 + conversation)}`

/** Every tenth conversation is unread. */
const READ = `case when max(id) % 10 = 0 then 0 else max(id) end`

/** Fills the database of a stopped server. Resolves when PostgreSQL has analysed the tables. */
export async function fillReceived(home: Home, received: Received): Promise<void> {
  const { sms, conversations, devices } = received
  const postgres = home.settings['DATABASE_URL'] !== undefined
  const ids = postgres
    ? (from: number, to: number) => `generate_series(${from}::bigint, ${to}::bigint) as ids (id)`
    : (from: number, to: number) =>
        `(with recursive ids (id) as (select ${from} union all select id + 1 from ids where id < ${to}) select id from ids)`
  const began_s = Math.floor(Date.now() / 1_000) - 30 * 86_400
  const second = `${began_s} + cast(id * ${(30 * 86_400) / (sms + 1)} as integer)`
  const at = postgres
    ? `to_char(to_timestamp(${second}) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS') || '.000Z'`
    : `strftime('%Y-%m-%dT%H:%M:%S', ${second}, 'unixepoch') || '.000Z'`
  await run(home, async (send) => {
    for (let from = 1; from <= sms; from += CHUNK)
      await send(`insert into inbox (id, company_id, device_id, sms_id, sms_from, text, sms_at, received_at)
        select id, 1, 1 + id % ${devices}, 'seeded-' || id, '+347' || (10000000 + id % ${conversations}),
          'Estoy fuera, dejadlo en el ' || id || '. Mañana sí estaré, gracias', at, at
        from (select id, ${at} as at from ${ids(from, Math.min(sms, from + CHUNK - 1))}) as seeded`)
    await send(`insert into conversations (company_id, number, status, last_at, inbox_id, read_id)
      select company_id, sms_from, 'open', max(received_at), max(id), ${READ} from inbox group by company_id, sms_from`)
    if (!postgres) return
    await send(`select setval('inbox_id_seq', ${sms})`)
    await send('vacuum analyze')
  })
}

/** Resolves when the running server has all received SMS in the search index. */
export async function untilReceivedIndexed(home: Home): Promise<void> {
  // On PostgreSQL a few wait for more.
  const most = home.settings['DATABASE_URL'] === undefined ? 0 : 8
  await run(home, async (send) => {
    for (;;) {
      const [left] = await send(
        `select count(*) as count from inbox where id > (select id from inbox_search_reach)`,
      )
      if (Number(left!['count']) <= most) return
      await sleep(500)
    }
  })
}

type Send = (text: string) => Promise<Record<string, unknown>[]>

async function run(home: Home, work: (send: Send) => Promise<void>): Promise<void> {
  const url = home.settings['DATABASE_URL']
  if (url !== undefined) {
    const session = await connect(patientSettingsOf(url))
    await work(async (text) => (await session.send(text)).rows as Record<string, unknown>[])
    return session.close()
  }
  const db = new DatabaseSync(join(home.folder, 'data', DATABASE_FILE), { timeout: 30_000 })
  await work(async (text) => db.prepare(text).all())
  db.close()
}
