import { type CallbackFormat, ToldType } from '@sdd/contract/outward/callbacks.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import type { MoveListener } from '#server/messages/messages/moving.ts'
import type { MessageRow } from '#server/messages/messages/store.ts'
import { storeReport } from '#server/outward/callbacks/callback-events.ts'
import { fillEscapes } from '#server/outward/callbacks/formats/kannel.ts'
import { statusForm, UNKNOWN_ERROR } from '#server/outward/callbacks/formats/twilio.ts'
import { type ReportTarget, readTarget } from '#server/tasks/report-target.ts'
import { taskRow } from '#server/tasks/task.ts'
import { storeReceipts } from './smpp/storing.ts'
import { type DoorState, doorStateOf, doorStates } from './states.ts'

/**
 * Stores a report of a task's new state for the program that submitted it. This runs in the transaction that changed the
 * state, after the message has changed. Only tasks of a door that asked for reports cost a query.
 */
export function openDoorListener(clock: Clock): MoveListener {
  return async (tx, message, { state, step }) => {
    const { callback_url, company_id, id } = message
    if (callback_url === null || state === undefined || state === message.state) return
    const target = readTarget(callback_url)
    if (target.format === null) return
    // A failure that is tried again is no news, and neither is the reply to a delivered message.
    const ended = (step ?? message.step) === 'finished'
    if (!(ended || state === 'handed') || (state === 'replied' && message.state === 'delivered')) return
    const told = `task.${state}`
    const type = ToldType.options.find((option) => option === told)
    if (type === undefined) return
    const row = await taskRow(tx, company_id, id)
    await tell(tx, clock, target, { row, type })
  }
}

type News = { row: MessageRow; type: ToldType }

async function tell(tx: Tx, clock: Clock, target: ReportTarget, { row, type }: News): Promise<void> {
  if (target.format === null) return
  if (target.format === 'smpp') return storeReceipts(tx, clock, row, target.argument)
  const now_ms = clock.now()
  const body = WRITERS[target.format](target, row, now_ms)
  if (body === undefined) return
  const { company_id, api_key_id, guid } = row
  const event = { company_id, guid, type, body, format: target.format, created_at: instant(now_ms) }
  await storeReport(tx, row.id, event, { url: target.url, webhook: null, api_key_id })
}

/** Twilio's code of a message that failed, or may have; null of any other. */
export function twilioErrorOf(row: MessageRow): number | null {
  return TWILIO_ERRORS[doorStateOf(row)] ?? null
}

const TWILIO_ERRORS: Partial<Record<DoorState, number>> = {
  uncertain: UNKNOWN_ERROR,
  undelivered: 30003,
  failed: 30008,
  expired: 30001,
}

/** Writes what a callback sends; `undefined` if the program does not hear of this state. */
type Writer = (
  target: { argument: string; url: string },
  row: MessageRow,
  now_ms: number,
) => string | undefined

const WRITERS: Record<CallbackFormat, Writer> = {
  kannel({ argument, url }, row, now_ms) {
    const report = doorStates[doorStateOf(row)].kannel
    if ((report & Number(argument)) === 0) return undefined
    return fillEscapes(url, {
      number: row.message_to,
      own_number: row.from_number ?? '',
      report,
      at_ms: now_ms,
      device_uid: row.device_guid ?? '',
      guid: row.guid,
      answer: row.error ?? row.answer_2 ?? row.anwer_sent ?? '',
      text: row.message,
    })
  },
  // Twilio tells no program that a message is on its way.
  twilio({ argument }, row) {
    if (row.state === 'handed') return undefined
    const { guid, message_to: to, from_number: from } = row
    const error_code = twilioErrorOf(row)
    const account = decodeURIComponent(argument)
    return statusForm(account, doorStates[doorStateOf(row)].twilio, { guid, to, from, error_code })
  },
}
