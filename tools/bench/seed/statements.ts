import { bucketOf } from '../../../packages/server/src/messages/messages/moving.ts'
import { textOf } from '../work.ts'

/** The number of messages and devices, the time of the first message, and the interval between messages. */
export type Scale = { rows: number; devices: number; from_s: number; step_s: number }
export type Span = Scale & { from: number; to: number }

/** The SQL expressions in which the engines differ. */
export type Words = {
  /** The numbers of a span, as a table `ids (id)`. */
  ids(span: Span): string
  /** The time of a message, `YYYY-MM-DDTHH:MM:SS`. */
  at(span: Span): string
  guid: string
  /** The eight digits that differ between numbers. */
  digits: string
}

/** The messages are spread over this many days, up to the last midnight. */
export const DAYS = 180
/** Rows of one transaction. */
export const CHUNK = 500_000

export function* spansOf(scale: Scale): Generator<Span> {
  for (let from = 1; from <= scale.rows; from += CHUNK)
    yield { ...scale, from, to: Math.min(scale.rows, from + CHUNK - 1) }
}

export function messagesOf(words: Words, span: Span): string {
  return `insert into messages (id, company_id, guid, message, message_to, parts, priority, silent, task, queue_timestamp,
      expires_at)
    select id, 1, ${words.guid}, ${TEXT}, '+346' || ${words.digits}, 1, 1, 0, 1, s || '.000Z', s || '.000Z'
    from (select id, ${words.at(span)} as s from ${words.ids(span)}) as at`
}

const TEXT = `'${textOf(0).replace(' 0 ', " ' || id || ' ")}'`

/** One in 50 has failed, one in 200 has a reply, the others were delivered. */
export function outcomesOf(words: Words, span: Span): string {
  return `insert into outcomes (id, company_id, device_id, attempt, state, completed_at, assigned_at, handed_timestamp,
      answer_sent_timestamp, answer_2_timestamp, answer_3, answer_3_timestamp, error, error_msg, error_timestamp,
      attempt_state, attempt_parts, code)
    select id, 1, device, 1, case when failed then 'failed' when replied then 'replied' else 'delivered' end,
      s || '.400Z', s || '.050Z', s || '.120Z',
      case when not failed then s || '.400Z' end, case when not failed then s || '.900Z' end,
      case when replied then 'Thank you' end, case when replied then s || '.999Z' end,
      case when failed then 'no_network' end, case when failed then 'There was no network for too long.' end,
      case when failed then s || '.400Z' end,
      case when failed then 'failed' else 'delivered' end, case when failed then 0 end,
      case when failed then 'no_network' end
    from (select id, id % 50 = 0 as failed, id % 200 = 1 as replied, 1 + id % ${span.devices} as device,
      ${words.at(span)} as s from ${words.ids(span)}) as at`
}

/** Which device wrote to which number in the last thirty days. */
export function rememberedOf(): string {
  return `insert into recipients (company_id, number, device_id, last_at)
    select company_id, number, device_id, completed_at from (
      select messages.company_id, message_to as number, device_id, completed_at,
        row_number() over (partition by messages.company_id, message_to order by messages.id desc) as place
      from messages join outcomes on outcomes.id = messages.id
      where messages.id > (select max(id) from messages) * ${(DAYS - 30) / DAYS} and error is null) as newest
    where place = 1`
}

/**
 * The counters as the server keeps them, see `messages/messages/moving.ts`; days are in UTC, as on the measured server.
 */
export const COUNTED = [
  counters('state', 'substr(queue_timestamp, 1, 13)', 'state'),
  counters('handover', 'substr(queue_timestamp, 1, 13)', String(bucketOf(120))),
  counters('delivery', 'substr(queue_timestamp, 1, 13)', String(bucketOf(500)), 'error is null'),
  counters('sent', 'substr(completed_at, 1, 10)', 'device_id', 'error is null'),
  counters('delivered', 'substr(completed_at, 1, 10)', 'device_id', 'error is null'),
  counters('failed', 'substr(completed_at, 1, 10)', 'device_id', 'error is not null'),
  counters('failure', 'substr(completed_at, 1, 10)', 'error', 'error is not null'),
]

/** For the last three days, since older counters are removed. */
function counters(figure: string, period: string, key: string, where = 'true'): string {
  return `insert into counters (figure, company_id, period, key, count, last_at)
    select '${figure}', messages.company_id, ${period}, cast(${key} as text), count(*), max(queue_timestamp)
    from messages join outcomes on outcomes.id = messages.id
    where messages.id > (select max(id) from messages) * ${(DAYS - 3) / DAYS} and ${where} group by 2, 3, 4`
}
