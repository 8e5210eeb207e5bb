import type { Insertable } from '@sdd/storage/tables.ts'
import type { InFlight, Messages, Outcomes, Queue } from '#server/database/schema.ts'

/** The present of the data. On PostgreSQL it is in the second month, as the first message is from forty days before. */
export const NOW = '2026-06-10T08:00:00.000Z'
export const HOUR_AGO = '2026-06-10T07:00:00.000Z'
export const DAY_AGO = '2026-06-09T08:00:00.000Z'
export const TODAY = '2026-06-10'

export function guidOf(message: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  return `${hex((message * 2_654_435_761) % 2 ** 32, 8)}-${hex(message % 65_536, 4)}-4000-8000-${hex(message, 12)}`
}

/** Each message has a number of its own. */
export function numberOf(message: number): string {
  return `+346${String((message * 61_803_399) % 100_000_000).padStart(8, '0')}`
}

/** The number of the device's SIM. */
export function simOf(device_id: number): string {
  return `+347${String(device_id).padStart(8, '0')}`
}

export function iccidOf(device_id: number): string {
  return `8934${String(device_id).padStart(15, '0')}`
}

export function messageRow(message: number, company_id: number, time_ms: number) {
  const at = new Date(time_ms).toISOString()
  const row: Insertable<Messages> = {
    company_id,
    guid: guidOf(message),
    message: `Your order ${message} is on its way. Track it at https://example.com/t/${message}`,
    message_to: numberOf(message),
    parts: 1,
    priority: 1,
    silent: 0,
    task: message % 10 === 8 ? 0 : 1,
    queue_timestamp: at,
    expires_at: new Date(time_ms + 3_600_000).toISOString(),
    queued_by: null,
    queued_by_name: null,
    api_key_id: null,
    callback_url: null,
    from_number: null,
    sent_stamp: null,
    asked_times: null,
  }
  return row
}

export type Added = Insertable<Messages> & { id: number }

/** One in 50 has failed, one in 200 has a reply, the others were delivered. */
export function outcomeRow(row: Added, device_id: number, turn: number): Insertable<Outcomes> {
  const { id, company_id, queue_timestamp: at } = row
  const failed = turn % 50 === 0
  return {
    id,
    company_id,
    device_id,
    attempt: turn % 10 === 1 ? 2 : 1,
    state: failed ? 'failed' : turn % 200 === 2 ? 'replied' : 'delivered',
    completed_at: at,
    assigned_at: at,
    handed_timestamp: at,
    answer_sent_timestamp: failed ? null : at,
    answer_2_timestamp: failed ? null : at,
    error: failed ? 'no_network' : null,
    error_msg: failed ? 'There was no network for too long.' : null,
    error_timestamp: failed ? at : null,
    attempt_state: failed ? 'failed' : 'delivered',
    attempt_parts: failed ? 0 : null,
    code: failed ? 'no_network' : null,
  }
}

const SOON = '2026-06-10T08:00:30.000Z'
const LATER_TODAY = '2026-06-10T09:00:00.000Z'

/** One in 50 of those without a report is due again, and for one in 50 a cancel is due. */
export function inFlightRow(
  { id, queue_timestamp: at }: Added,
  device_id: number,
  turn: number,
  state: 'sent' | 'given',
): Insertable<InFlight> {
  const sent = state === 'sent' ? at : null
  const due = turn % 50 === 8 || turn % 50 === 1
  return {
    id,
    device_id,
    attempt: turn % 50 === 2 ? 2 : 1,
    assigned_at: at,
    expires_at: turn % 100 === 9 ? at : LATER_TODAY,
    look_at: due || turn % 100 === 9 ? at : SOON,
    cancel_at: turn % 50 === 7 ? at : null,
    handed_timestamp: sent,
    answer_sent_timestamp: sent,
    completed_at: sent,
  }
}

/** Of ten, four wait for their device, three for any, and one each in a device's lane, for a SIM, and for their time. */
export function queueRow(row: Added, device_id: number, turn: number): Insertable<Queue> {
  const { id, company_id, priority, queue_timestamp: due_at } = row
  const way = turn % 10
  const until = turn % 100 < 10 ? NOW : LATER_TODAY
  const place = (lane: string | null, lane_until: string | null = null) => ({
    id,
    company_id,
    device_id: lane === null ? device_id : null,
    priority,
    due_at,
    expires_at: turn % 100 === 50 ? NOW : LATER_TODAY,
    lane,
    lane_until,
  })
  if (way < 4) return place(null)
  if (way < 7) return place('')
  if (way === 7) return place(`device:${device_id}`, until)
  return way === 8 ? place(`sim:${simOf(device_id)}`) : place('later', until)
}

/** The names of these messages, which the first company has. */
export const keysOf = (messages: readonly number[]) =>
  messages.map((message) => [1, guidOf(message)] as const)
