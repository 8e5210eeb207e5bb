import type { Insertable } from '@sdd/storage/tables.ts'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { MONTH_IDS } from '#server/database/months/layout.ts'
import { ensureMonths } from '#server/database/months/months.ts'
import type { Schema, Tx } from '#server/database/schema.ts'
import { insertAlerts } from './hot-alert-rows.ts'
import {
  type Added,
  guidOf,
  inFlightRow,
  messageRow,
  NOW,
  numberOf,
  outcomeRow,
  queueRow,
  simOf,
  TODAY,
  iccidOf,
} from './hot-rows.ts'

/** How much a database has of each. A year's installation differs only in the number of ended messages. */
export type HotScale = {
  ended: number
  in_flight: number
  waiting: number
  devices: number
  companies: number
}

const BEGAN_MS = Date.parse('2026-05-01T00:00:00.000Z')
const NOW_MS = Date.parse(NOW)
const SECOND_MONTH = new Date('2026-06-01T00:00:00.000Z')
/** The server to which most devices are connected. */
export const REPLICA = 'one'

/** Of each kind of message, the numbers of some; company 1 has all of these. See `guidOf`, `numberOf` and `idOf`. */
export type HotData = {
  ended: number[]
  /** Given to a device, without any report. */
  given: number[]
  /** Sent, and waiting for the delivery report. */
  sent: number[]
  /** Waiting for any device. */
  waiting: number[]
  /** Tasks whose time in their lane is over. */
  due: number[]
  idOf(message: number): number
  /** Devices of company 1. */
  devices: number[]
  /** The id of the small company. */
  small: number
}

/** One in this many messages is of the small company. The others are spread evenly. */
const SMALL_SHARE = 200

/** A further company, for which reading everybody's messages would be a waste. */
function smallCompany({ companies }: Pick<HotScale, 'companies'>): number {
  return companies + 1
}

/** Fills an empty database. */
export async function fillHotData(tx: Tx, scale: HotScale): Promise<HotData> {
  const { ended, in_flight, waiting, companies } = scale
  if (tx.engine === 'postgres') await beginSecondMonth(tx)
  for (let company = 1; company <= smallCompany(scale); company++)
    await createCompany(tx, `Company ${company}`, NOW)
  const fleet = await insertDevices(tx, scale)
  const deviceOf = (message: number) => {
    const own = fleet.get(companyOf(message, scale))!
    return own[Math.floor(message / companies) % own.length]!
  }
  const idOf = (message: number) =>
    tx.engine === 'postgres' && timeOf(message, scale) >= SECOND_MONTH.getTime()
      ? MONTH_IDS + message
      : message
  const data: HotData = {
    ended: [],
    given: [],
    sent: [],
    waiting: [],
    due: [],
    idOf,
    devices: fleet.get(1)!,
    small: smallCompany(scale),
  }
  const rows = openRows(tx)
  const lanes = new Map<string, number>()
  for (let message = 1; message <= ended + in_flight + waiting; message++) {
    const [id, company_id, device_id] = [idOf(message), companyOf(message, scale), deviceOf(message)]
    const row = { ...messageRow(message, company_id, timeOf(message, scale)), id }
    const turn = Math.floor(message / companies)
    const note = (kind: Exclude<keyof HotData, 'idOf' | 'devices' | 'small'>) => {
      if (company_id === 1) data[kind].push(message)
    }
    await rows.add('messages', row)
    if (message <= ended) {
      note('ended')
      await rows.add('outcomes', outcomeRow(row, device_id, turn))
      await insertTraces(rows, row, device_id, turn)
    } else if (message <= ended + in_flight) {
      const state = turn % 10 < 6 ? 'sent' : 'given'
      note(state)
      await rows.add('in_flight', inFlightRow(row, device_id, turn, state))
    } else {
      const place = queueRow(row, device_id, turn)
      if (place.lane === '') note('waiting')
      if (place.lane_until !== null && place.lane_until! <= NOW) note('due')
      if (place.lane && !place.lane.startsWith('device:')) count(lanes, `${company_id} ${place.lane}`)
      await rows.add('queue', place)
    }
  }
  for (const [name, tasks] of lanes) {
    const [company_id, lane] = name.split(' ') as [string, string]
    await rows.add('lanes', { company_id: Number(company_id), lane, waiting: tasks })
  }
  await insertCounters(rows, scale)
  await rows.flush()
  await insertConversations(tx)
  await insertCampaign(tx)
  await insertAlerts(tx, NOW)
  await countCapacity(tx)
  if (tx.engine === 'postgres') {
    await tx.query(`select setval('messages_ids', ${idOf(ended + in_flight + waiting)})`)
    await analyzeBeforeConnecting(tx)
  }
  return data
}

/** The id of a running campaign. */
export const CAMPAIGN = 1

/** A campaign whose rows have the messages of a company, most of which have ended, and as many without a message; and the contacts of their numbers. */
async function insertCampaign(tx: Tx): Promise<void> {
  await tx.query(`insert into campaigns
      (id, company_id, name, name_key, text, class, state, lists, created_at, rows, version)
    values (${CAMPAIGN}, 1, 'Hot', 'hot', 'x', 'transactional', 'running', '[]', '${NOW}', 1, 1)`)
  const columns = 'campaign_id, line, number, name_key, fields, due_at, state, blocked, message_id'
  await tx.query(`insert into campaign_rows (${columns})
    select ${CAMPAIGN}, row_number() over (order by messages.id), message_to, '', '{}', '',
      case when queue.id is null then 'delivered' else 'queued' end, 0, messages.id
    from messages left join queue on queue.id = messages.id where messages.company_id = 1`)
  await tx.query(`insert into contacts (company_id, number, name_key, fields, updated_at)
    select distinct company_id, message_to, '', '{}', '${NOW}' from messages where company_id = 1`)
  await tx.query(`insert into campaign_rows (${columns})
    select ${CAMPAIGN}, line + 100000, number, '', '{}', '', 'pending', 0, null from campaign_rows`)
}

/** One for each number. Those that were answered are open. */
async function insertConversations(tx: Tx): Promise<void> {
  await tx.query(`insert into conversations (company_id, number, status, last_at, message_id, inbox_id)
    select messages.company_id, message_to, case when max(inbox.id) is null then 'done' else 'open' end,
      max(queue_timestamp), max(messages.id), max(inbox.id)
    from messages left join inbox on inbox.company_id = messages.company_id and sms_from = message_to
    group by messages.company_id, message_to`)
}

/** Leaves statistics of an hour when no device was connected, as after a restart. */
async function analyzeBeforeConnecting(tx: Tx): Promise<void> {
  await tx.query('alter table devices set (autovacuum_enabled = off)')
  await tx.query(`update devices set status = 'away' where status = 'connected'`)
  await tx.query('analyze')
  await tx.query(`update devices set status = 'connected' where status = 'away'`)
}

/** The first month is that of the first message. */
async function beginSecondMonth(tx: Tx): Promise<void> {
  await tx.query(`update months set began_at = '2026-05-01' where number = 0`)
  for (const at of [SECOND_MONTH, new Date(NOW)]) await ensureMonths((work) => work(tx), at)
}

/** Messages are spread evenly up to the present; those that have not ended are from the last minute. */
function timeOf(message: number, { ended }: HotScale): number {
  return message > ended
    ? NOW_MS - 60_000
    : BEGAN_MS + Math.floor((message / ended) * (NOW_MS - BEGAN_MS - 120_000))
}

function companyOf(number: number, { companies }: Pick<HotScale, 'companies'>): number {
  return number % SMALL_SHARE === 0 ? smallCompany({ companies }) : 1 + (number % companies)
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

type Rows = {
  add<Table extends keyof Schema & string>(table: Table, row: Insertable<Schema[Table]>): Promise<void>
  flush(): Promise<void>
}

/** Inserts many rows of a table in one statement. */
function openRows(tx: Tx): Rows {
  const waiting = new Map<string, object[]>()
  async function write(table: string, rows: object[]): Promise<void> {
    const insert = tx.insert as (table: string, rows: object[]) => Promise<void>
    await insert(table, rows.splice(0))
  }
  return {
    async add(table, row) {
      const rows = waiting.getOrInsertComputed(table, () => [])
      rows.push(row)
      if (rows.length === 960) await write(table, rows)
    },
    async flush() {
      for (const [table, rows] of waiting) await write(table, rows)
    },
  }
}

/** Nearly all are connected to this server. The others are offline, or in quarantine. */
async function insertDevices(tx: Tx, scale: HotScale): Promise<Map<number, number[]>> {
  const ids = Array.from({ length: scale.devices }, (_, place) => place + 1)
  const rows = openRows(tx)
  for (const id of ids) {
    const offline = id % 20 === 3
    await rows.add('devices', {
      id,
      company_id: companyOf(id, scale),
      uid: `drone-${id}`,
      secret_hash: guidOf(id),
      created_at: NOW,
      enabled: 1,
      enabled_at: NOW,
      max_sms_dayly: 500,
      status: offline ? 'disconnected' : 'connected',
      status_at: NOW,
      replica: offline ? null : id % 10 === 1 ? 'two' : REPLICA,
      quarantined_until: id % 50 === 7 ? '2026-06-10T09:00:00.000Z' : null,
    })
  }
  await rows.flush()
  for (const device_id of ids) {
    const sent = { sent_day: TODAY, sent_parts: device_id % 400, last_given_at: NOW, next_slot_at: NOW }
    await rows.add('capacity', { device_id, ...sent })
    await rows.add('device_sims', {
      device_id,
      company_id: companyOf(device_id, scale),
      number: simOf(device_id),
    })
    await rows.add('device_tags', {
      device_id,
      company_id: companyOf(device_id, scale),
      tag: `t${device_id % 10}`,
    })
    await rows.add('sims', { id: device_id, ...simRow(device_id), company_id: companyOf(device_id, scale) })
    for (let n = 1; n <= 5; n++)
      await rows.add('sim_recipients', { sim_id: device_id, number: numberOf(n), messages: 1 })
  }
  await rows.flush()
  return Map.groupBy(ids, (id) => companyOf(id, scale))
}

/** Most have no plan. A few are due to renew, or to be asked for their balance. */
function simRow(device_id: number) {
  const soon = device_id % 100 === 9 ? NOW : '2026-06-30T22:00:00.000Z'
  const planned = device_id % 10 === 9
  return {
    device_id,
    iccid: iccidOf(device_id),
    slot: 1,
    said_number: simOf(device_id),
    renews_on_day: planned ? 1 : null,
    used_until: planned ? soon : null,
    balance_due_at: planned ? soon : null,
  }
}

/** Earlier attempts, the device that wrote to a number, and SMS that were received. */
async function insertTraces(rows: Rows, row: Added, device_id: number, turn: number): Promise<void> {
  const { id: message_id, company_id, queue_timestamp: at, message_to } = row
  if (turn % 10 === 1) {
    const open = turn % 1_000 === 1 && at > '2026-06-09'
    await rows.add('attempts', {
      message_id,
      attempt: 1,
      device_id,
      parts: 0,
      day: at.slice(0, 10),
      given_at: at,
      cancel_at: open ? at : null,
      finished_at: open ? null : at,
      state: 'failed',
      code: 'no_network',
    })
  }
  if (at > '2026-05-11')
    await rows.add('recipients', { company_id, number: message_to, device_id, last_at: at })
  if (turn % 10 === 2)
    await rows.add('inbox', {
      company_id,
      device_id,
      sms_id: String(message_id),
      sms_from: message_to,
      text: 'Thank you',
      sms_at: at,
      received_at: at,
      message_id: turn % 200 === 2 ? message_id : null,
    })
  if (turn % 100 === 3) await rows.add('opt_outs', { company_id, number: message_to, created_at: at })
}

/** The counters of three days. */
async function insertCounters(rows: Rows, { companies, devices }: HotScale): Promise<void> {
  const hours = Array.from({ length: 72 }, (_, back) => new Date(NOW_MS - back * 3_600_000).toISOString())
  for (let company_id = 1; company_id <= companies; company_id++)
    for (const hour of hours)
      for (const key of ['queued', 'sent', 'delivered', 'failed'])
        await rows.add('counters', {
          figure: 'state',
          company_id,
          period: hour.slice(0, 'YYYY-MM-DDTHH'.length),
          key,
          count: 100,
          last_at: NOW,
        })
  for (let device = 1; device <= devices; device++) {
    const company_id = companyOf(device, { companies })
    for (const figure of ['sent', 'delivered', 'failed'] as const)
      for (const period of [TODAY, '2026-06-09', '2026-06-08'])
        await rows.add('counters', {
          figure,
          company_id,
          period,
          key: String(device),
          count: 100,
          last_at: NOW,
        })
  }
}

async function countCapacity(tx: Tx): Promise<void> {
  await tx.query(`update capacity set
    queued = (select count(*) from queue where queue.device_id = capacity.device_id),
    sticky = (select count(*) from queue where lane = 'device:' || capacity.device_id),
    unfinished = (select count(*) from in_flight
      where in_flight.device_id = capacity.device_id and completed_at is null)`)
}
