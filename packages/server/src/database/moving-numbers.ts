import { DEFAULT_COUNTRY } from '@sdd/contract/core/countries.ts'
import { keptNumber, keptSender } from '#server/core/phone-number.ts'
import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Older rows were written before a company could name its country. */
const keep = (number: string) => keptSender(number, DEFAULT_COUNTRY)

/** Rows that are read together. */
const PAGE = 2_000

/** Messages of this age may still be replied to. */
const REPLY_DAYS = 8

/**
 * Changes stored numbers to the stored form of `keptNumber`: opt-outs, the usual device of each number, SIMs, the
 * waiting messages, and the last days. `moveOlder` changes the rest of the log later.
 */
export async function moveNumbers(tx: Tx): Promise<void> {
  const { int, text } = columnTypes(tx.engine)
  await tx.query(
    `alter table settings add column default_country ${text} not null default '${DEFAULT_COUNTRY}'`,
  )
  await moveRecipients(tx)
  await tx.query('drop index messages_by_number')
  await moveOptOuts(tx)
  await moveSims(tx)
  await moveCounts(tx)
  for (const table of ['queue', 'in_flight'])
    for await (const rows of pagesOf<MovedMessage & { id: number }>(
      tx,
      (
        after,
      ) => `select messages.id, message_to, from_number from ${table} join messages on messages.id = ${table}.id
        where ${table}.id > ${after} order by ${table}.id limit ${PAGE}`,
    ))
      await moveMessages(tx, rows)
  await moveLanes(tx)
  await tx.query('create index messages_by_number on messages (company_id, message_to, id)')
  await tx.query(`create table numbers_left (kind ${text} primary key, below ${int} not null)`)
  const since = new Date(Date.now() - REPLY_DAYS * 86_400_000).toISOString()
  for (const table of ['messages', 'inbox'] as const) {
    await tx.query(`insert into numbers_left (kind, below)
      select '${table}', max(id) + 1 from ${table} having max(id) is not null`)
    while (await moveSome(tx, table, PAGE, since));
  }
}

/** Changes some more numbers of the log, newest first. False if none are left. */
export async function moveOlder(tx: Tx, rows: number): Promise<boolean> {
  for (const table of ['messages', 'inbox'] as const) if (await moveSome(tx, table, rows, '')) return true
  return false
}

/** Whether `moveOlder` has anything to do. */
export async function hasOlder(tx: Tx): Promise<boolean> {
  return (await tx.query('select kind from numbers_left limit 1')).length > 0
}

type Table = 'messages' | 'inbox'

/** False if the table has no more rows since then. */
async function moveSome(tx: Tx, kind: Table, most: number, since: string): Promise<boolean> {
  const lock = tx.engine === 'postgres' ? 'for update skip locked' : ''
  const [left] = await tx.query<{ below: number }>(
    `select below from numbers_left where kind = :kind ${lock}`,
    { kind },
  )
  if (left === undefined) return false
  const columns =
    kind === 'messages' ? 'message_to, from_number, queue_timestamp as at' : 'sms_from, received_at as at'
  const rows = await tx.query<MovedMessage & Received & { at: string }>(
    `select id, ${columns} from ${kind} where id < ${left.below} order by id desc limit ${most}`,
  )
  const asked = rows.filter(({ at }) => at >= since)
  if (kind === 'messages') await moveMessages(tx, asked)
  else await moveReceived(tx, asked)
  const last = asked.at(-1)
  if (rows.length < most && asked.length === rows.length)
    await tx.query('delete from numbers_left where kind = :kind', { kind })
  else if (last)
    await tx.query('update numbers_left set below = :below where kind = :kind', { kind, below: last.id })
  return asked.length === most
}

type MovedMessage = { id: number; message_to: string; from_number: string | null }
type Received = { id: number; sms_from: string }

async function moveMessages(tx: Tx, rows: readonly MovedMessage[]): Promise<void> {
  for (const { id, message_to, from_number } of rows) {
    const to = keep(message_to)
    const from = from_number === null ? null : keep(from_number)
    if (to === message_to && from === from_number) continue
    await tx.query('update messages set message_to = :to, from_number = :from where id = :id', {
      id,
      to,
      from,
    })
    if (to !== message_to && tx.engine === 'sqlite') await indexAgain(tx, id)
  }
}

/** PostgreSQL's index keeps the old notation. A whole number is found by its own index on both engines. */
async function indexAgain(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from message_search where rowid = :id', { id })
  await tx.query(
    `insert into message_search (rowid, text) select id, cast(message || char(10) || message_to as text)
      from messages where id = :id and id <= (select id from message_search_reach)`,
    { id },
  )
}

async function moveReceived(tx: Tx, rows: readonly Received[]): Promise<void> {
  for (const { id, sms_from } of rows) {
    const number = keep(sms_from)
    if (number !== sms_from)
      await tx.query('update inbox set sms_from = :number where id = :id', { id, number })
  }
}

async function* pagesOf<Row extends { id: number }>(
  tx: Tx,
  textAfter: (id: number) => string,
): AsyncGenerator<Row[], void, undefined> {
  for (let after = 0; ;) {
    const rows = await tx.query<Row>(textAfter(after))
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    after = rows.at(-1)!.id
  }
}

/** Of two opt-outs that become one, the earlier stays. */
async function moveOptOuts(tx: Tx): Promise<void> {
  await tx.query('drop index opt_outs_by_number')
  await tx.query('alter table opt_outs drop column number_key')
  const taken = new Set<string>()
  type OptOut = { id: number; company_id: number; number: string }
  const text = (after: number) =>
    `select id, company_id, number from opt_outs where id > ${after} order by id limit ${PAGE}`
  for await (const rows of pagesOf<OptOut>(tx, text))
    for (const { id, company_id, number } of rows) {
      const kept = keep(number)
      const key = `${company_id} ${kept}`
      if (taken.has(key)) await tx.query('delete from opt_outs where id = :id', { id })
      else if (kept !== number)
        await tx.query('update opt_outs set number = :kept where id = :id', { id, kept })
      taken.add(key)
    }
  await tx.query('create unique index opt_outs_by_number on opt_outs (company_id, number)')
}

/** They were keyed by the last nine digits, which do not tell the country. The newest message with them does. */
async function moveRecipients(tx: Tx): Promise<void> {
  const lastNine =
    tx.engine === 'postgres' ? `right(ltrim(message_to, '+'), 9)` : `substr(ltrim(message_to, '+'), -9)`
  const rows = await tx.query<Recipient & { message_to: string | null }>(
    `select company_id, number, device_id, last_at, (select message_to from messages
        where messages.company_id = recipients.company_id and ${lastNine} = recipients.number
        order by id desc limit 1) as message_to
      from recipients order by last_at`,
  )
  await tx.query('delete from recipients')
  for (const { company_id, number, device_id, last_at, message_to } of rows)
    await tx.put('recipients', { company_id, number: keep(message_to ?? number) }, { device_id, last_at })
}

type Recipient = { company_id: number; number: string; device_id: number; last_at: string }

/** The numbers of SIMs as the devices wrote them are in their networks. */
async function moveSims(tx: Tx): Promise<void> {
  const rows = await tx.query<{
    device_id: number
    company_id: number
    number: string
    networks: string | null
  }>(
    `select device_id, device_sims.company_id, number, networks
      from device_sims join devices on devices.id = device_id`,
  )
  await tx.query('delete from device_sims')
  for (const { device_id, company_id, number, networks } of rows) {
    const { mobile } = JSON.parse(networks ?? '{}') as {
      mobile?: { sims?: { phone_number?: string | null }[] }
    }
    const written = (mobile?.sims ?? []).map((sim) => sim.phone_number ?? '')
    const own = written.find((one) => one.replace(/\D/g, '').slice(-9) === number) ?? number
    const kept = keptNumber(own, DEFAULT_COUNTRY) ?? own.replace(/[^\d+]/g, '')
    await tx.put('device_sims', { device_id, number: kept }, { company_id })
  }
}

/** The daily counts of numbers. */
async function moveCounts(tx: Tx): Promise<void> {
  type Count = { company_id: number; number: string; day: string; count: number }
  const rows = await tx.query<Count>(
    'select company_id, number, day, count from recipient_counts order by day',
  )
  await tx.query('delete from recipient_counts')
  const counts = new Map<string, Count>()
  for (const row of rows) {
    const number = keep(row.number)
    const before = counts.get(`${row.company_id} ${number}`)
    const more = before?.day === row.day ? before.count : 0
    counts.set(`${row.company_id} ${number}`, { ...row, number, count: row.count + more })
  }
  for (const count of counts.values()) await tx.insert('recipient_counts', [count])
}

/** The lanes of SIMs are named after the number that their tasks ask for. */
async function moveLanes(tx: Tx): Promise<void> {
  await tx.query(`update queue set lane = 'sim:' || (select from_number from messages where messages.id = queue.id)
    where lane like 'sim:%'`)
  await tx.query(`delete from lanes where lane like 'sim:%'`)
  await tx.query(`insert into lanes (company_id, lane, waiting)
    select company_id, lane, count(*) from queue where lane like 'sim:%' group by company_id, lane`)
}
