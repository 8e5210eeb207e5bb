import type { Insertable } from '@sdd/storage/tables.ts'
import type { AttemptState, InFlight, Outcomes, Tx } from '#server/database/schema.ts'
import { selectAnywhere } from '#server/messages/messages/rows.ts'
import { insertMessages, MESSAGE_COLUMNS, type NewMessage } from '#server/messages/messages/store.ts'
import { testClock } from './clock.ts'

/** All messages with their state, as a table `messages` for a `from`: its columns are those of `Message`. */
export const ALL_MESSAGES = `(${selectAnywhere([...MESSAGE_COLUMNS, 'queued_by', 'queued_by_name', 'asked_times'])}) as messages`

/**
 * All attempts, as a table `attempts` for a `from`: those with a row of their own, and the latest ones, which are a
 * part of their message's row. `day` is null for the latter: see `wrongDays`.
 */
export const ALL_ATTEMPTS = `(
  select message_id, attempt, device_id, parts, day, given_at, cancel_at, accepted_at, sent_at, delivered_at,
    finished_at, state, code, detail, sim
  from attempts
  union all
  select id, attempt, device_id, coalesce(attempt_parts, parts), null, assigned_at, cancel_at, handed_timestamp,
    answer_sent_timestamp, case when attempt_state = 'delivered' then answer_2_timestamp end,
    completed_at, attempt_state, code, detail, sim
  from ${ALL_MESSAGES} where attempt_state is not null) as attempts`

/** All devices with their capacity, as a table `devices` for a `from`. */
export const ALL_DEVICES = `(
  select devices.*, queued, sticky, unfinished, sent_day, sent_parts, last_given_at, next_slot_at, aside_until
  from devices join capacity on capacity.device_id = devices.id) as devices`

/** A row of `ALL_ATTEMPTS`. */
export type AttemptRow = {
  message_id: number
  attempt: number
  device_id: number
  parts: number
  day: string | null
  given_at: string
  cancel_at: string | null
  accepted_at: string | null
  sent_at: string | null
  delivered_at: string | null
  finished_at: string | null
  state: AttemptState
}

/** Queries that find messages, attempts or devices in too few tables, or in too many. */
export const MISPLACED = {
  'a device without its capacity, or a capacity without its device': `
    select devices.id, device_id from devices full join capacity on capacity.device_id = devices.id
    where devices.id is null or device_id is null`,
  'a message that is not in exactly one of the three tables': `
    select id, guid from messages where 1 <> (select count(*) from (
      select id from queue union all select id from in_flight union all select id from outcomes) as places
      where places.id = messages.id)`,
  'a state without its message': `
    select id from (
      select id from queue union all select id from in_flight union all select id from outcomes) as places
    where not exists (select 1 from messages where messages.id = places.id)`,
  'a state that names another company than its message': `
    select id from (select id, company_id from queue union all select id, company_id from outcomes) as places
    where company_id <> (select company_id from messages where messages.id = places.id)`,
  'an attempt that is stored twice, or without its message': `
    select message_id, attempt from ${ALL_ATTEMPTS} group by message_id, attempt having count(*) > 1
    union all
    select message_id, attempt from attempts where not exists (select 1 from messages where messages.id = message_id)`,
  'a latest attempt whose device or time is missing': `
    select id from ${ALL_MESSAGES} where attempt_state is not null and (device_id is null or assigned_at is null)`,
  'a message in flight that has ended in another way than sent': `
    select id from in_flight where completed_at is not null and (answer_sent_timestamp is null or cancel_at is not null)`,
}

/** Devices whose `sent_parts` differ from the SMS that their attempts have reserved on `sent_day`. */
export async function wrongDays(
  query: (text: string) => Promise<object[]>,
): Promise<{ id: number; sent_parts: number; found: number }[]> {
  const { day } = testClock('2026-01-01')
  // One statement, because the server may hand messages over between two.
  const rows = (await query(`
    select device_id, sent_day, sent_parts, null as given_at from capacity where sent_day is not null
    union all
    select device_id, null, parts, given_at from ${ALL_ATTEMPTS}`)) as {
    device_id: number
    sent_day: string | null
    sent_parts: number
    given_at: string
  }[]
  const [devices, attempts] = [
    rows.filter((row) => row.sent_day !== null),
    rows.filter((row) => row.sent_day === null),
  ]
  return devices
    .map(({ device_id: id, sent_day, sent_parts }) => {
      const its = attempts.filter(
        (attempt) => attempt.device_id === id && day(Date.parse(attempt.given_at)) === sent_day,
      )
      return { id, sent_parts, found: its.reduce((sum, attempt) => sum + attempt.sent_parts, 0) }
    })
    .filter(({ sent_parts, found }) => sent_parts !== found)
}

const AT = '2026-06-10T08:00:00.000Z'

/** A task of the first company, for any device. */
export function newMessage(guid: string) {
  return {
    company_id: 1,
    guid,
    message: 'hola',
    message_to: '+34600111222',
    parts: 1,
    priority: 1,
    silent: 0,
    queue_timestamp: AT,
    due_at: AT,
    expires_at: AT,
    task: 1,
    lane: '',
  } as const
}

/** Adds a message that a device has, without counting it, and returns its id. */
export async function insertInFlight(
  tx: Tx,
  message: NewMessage,
  status: Partial<Insertable<InFlight>> & { device_id: number },
): Promise<number> {
  const id = await insertNowhere(tx, message)
  const { queue_timestamp: assigned_at, expires_at } = message
  await tx.insert('in_flight', [{ attempt: 1, assigned_at, expires_at, look_at: expires_at, ...status, id }])
  return id
}

/** Adds a message that has ended, without counting it, and returns its id. */
export async function insertEnded(
  tx: Tx,
  message: NewMessage,
  status: Partial<Insertable<Outcomes>> & Pick<Outcomes, 'state' | 'completed_at'>,
): Promise<number> {
  const id = await insertNowhere(tx, message)
  await tx.insert('outcomes', [{ attempt: 0, ...status, id, company_id: message.company_id }])
  return id
}

async function insertNowhere(tx: Tx, message: NewMessage): Promise<number> {
  await insertMessages(tx, [message])
  const { company_id, guid } = message
  const [added] = await tx.query<{ id: number }>(
    'select id from messages where company_id = :company_id and guid = :guid order by id desc limit 1',
    { company_id, guid },
  )
  await tx.delete('queue', added!)
  return added!.id
}

/** Removes messages, by this condition of `messages` or all of them, with everything that is stored about them. */
export async function removeMessages(
  tx: Tx,
  condition = 'true',
  values: Record<string, string> = {},
): Promise<void> {
  const found = `(select id from messages where ${condition})`
  for (const place of ['queue', 'in_flight', 'outcomes'])
    await tx.query(`delete from ${place} where id in ${found}`, values)
  await tx.query(`delete from attempts where message_id in ${found}`, values)
  await tx.query(`delete from messages where ${condition}`, values)
}

/** SQL that adds many sent messages of a company without a device. Each `guid` is this text and a number from 1. */
export function manyEnded(
  count: number,
  {
    company_id,
    guid,
    message = 'hola',
    at,
  }: { company_id: number; guid: string; message?: string; at: string },
): string {
  return `
    insert into messages (company_id, guid, message, message_to, parts, priority, silent, task, queue_timestamp, expires_at)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
    select ${company_id}, '${guid}' || n, '${message}', '+34600111222', 1, 1, 0, 0, '${at}', '${at}' from numbers;
    insert into outcomes (id, company_id, attempt, state, completed_at)
    select id, company_id, 0, 'sent', '${at}' from messages
    where company_id = ${company_id} and guid > '${guid}' and guid < '${guid}~'`
}
