import {
  type CallbackBody,
  type CallbackFormat,
  type CallbackType,
  type ReceivedBody,
  TaskEvent,
} from '@sdd/contract/outward/callbacks.ts'
import type { ReceivedSms } from '@sdd/contract/people/conversations.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import type { MoveListener, MovedMessage } from '#server/messages/messages/moving.ts'
import { readTarget } from '#server/tasks/report-target.ts'
import { taskOf } from '#server/tasks/task.ts'
import { numberOfSim } from '#server/fleet/sims/own-numbers.ts'
import { fillEscapes } from './formats/kannel.ts'
import { receivedForm } from './formats/twilio.ts'
import { newWebhookId } from './signature.ts'
import { callbackStore, webhooksOf } from './store.ts'

/** The webhooks of each company in this unit of work. */
type Webhooks = Map<number, ReturnType<typeof webhooksOf>>

/**
 * Stores the callbacks for a task's new state, in the transaction that changed it and after the change of the message.
 * There is one callback for its `callback_url`, and one for each webhook of the company that wants this type. They are
 * made for the states sent, delivered, replied, failed, uncertain and expired, once for each state. A failure that is
 * retried makes none. Silent tasks and messages of the console have none.
 */
export function openCallbackListener(clock: Clock): MoveListener {
  const needs: Needs = { clock, webhooks: new Map() }
  return async (tx, message, change) => {
    const type = typeOf(message, change)
    if (type !== undefined) await tell(tx, needs, message, type)
  }
}

/**
 * Stores the callbacks about a received SMS, one for each webhook of the company that wants them. They have the sender's
 * number as their guid, so those of one number are delivered in order.
 */
export async function tellReceived(
  tx: Tx,
  clock: Clock,
  company_id: number,
  sms: ReceivedSms,
): Promise<void> {
  const type = 'sms.received'
  const receivers = (await webhooksOf(tx, company_id)).filter(({ types }) => wants(types, type))
  if (receivers.length === 0) return
  const now_ms = clock.now()
  const at = instant(now_ms)
  const json = JSON.stringify({ type, at, sms } satisfies ReceivedBody)
  const event = { company_id, guid: sms.number, type, created_at: at } as const
  for (const { id: webhook, url, format } of receivers) {
    const body = format === null ? json : await inFormat(tx, company_id, sms, { format, url, now_ms })
    await insertCallback(tx, { ...event, body, format }, { url, webhook })
  }
}

/**
 * Stores a callback for each webhook of the company that names this event. `bodyOf` is only called if there is one. It
 * locks the row that the event is about, as the result of an earlier callback does: see `hold`.
 */
export async function storeEvent(
  tx: Tx,
  event: Pick<CallbackEvent, 'company_id' | 'guid' | 'created_at'> & { type: CallbackType },
  bodyOf: () => Promise<string>,
): Promise<void> {
  const receivers = (await webhooksOf(tx, event.company_id)).filter(({ types }) => wants(types, event.type))
  if (receivers.length === 0) return
  const body = await bodyOf()
  for (const { id: webhook, url } of receivers) await insertCallback(tx, { ...event, body }, { url, webhook })
}

/** Tells of a received SMS as Kannel or Twilio would. */
async function inFormat(
  tx: Tx,
  company_id: number,
  sms: ReceivedSms,
  { format, url, now_ms }: { format: CallbackFormat; url: string; now_ms: number },
): Promise<string> {
  const { id: guid, number, text, device_uid } = sms
  const own_number = (device_uid && (await numberOfSim(tx, device_uid, sms.sim))) || ''
  if (format === 'twilio') return receivedForm(company_id, sms, own_number)
  return fillEscapes(url, { number, own_number, at_ms: now_ms, device_uid: device_uid ?? '', guid, text })
}

type Needs = { clock: Clock; webhooks: Webhooks }

async function tell(
  tx: Tx,
  { clock, webhooks }: Needs,
  message: MovedMessage,
  type: TaskEvent,
): Promise<void> {
  const { company_id, id, callback_url, api_key_id } = message
  const known = webhooks.getOrInsertComputed(company_id, () => webhooksOf(tx, company_id))
  const receivers: Receiver[] = []
  const asked = callback_url === null ? undefined : readTarget(callback_url)
  // Programs behind a door are told in their own words.
  if (asked?.format === null) receivers.push({ url: asked.url, api_key_id, webhook: null })
  for (const { id: webhook, url, types } of await known) {
    if (wants(types, type)) receivers.push({ url, api_key_id: null, webhook })
  }
  if (receivers.length === 0) return
  const task = await taskOf(tx, company_id, id)
  const at = instant(clock.now())
  const body = JSON.stringify({ type, at, task } satisfies CallbackBody)
  await callbackStore(tx, { company_id }).holdTask(id)
  const event = { company_id, guid: task.guid, type, body, created_at: at }
  for (const receiver of receivers) await insertCallback(tx, event, receiver)
}

type CallbackEvent = Parameters<ReturnType<typeof callbackStore>['insert']>[0]

/** Stores a report for the program that submitted a task, after those that it has not heard yet. */
export async function storeReport(
  tx: Tx,
  message_id: number,
  event: Parameters<typeof insertCallback>[1],
  receiver: Receiver,
): Promise<void> {
  await callbackStore(tx, event).holdTask(message_id)
  await insertCallback(tx, event, receiver)
}

function insertCallback(
  tx: Tx,
  event: Pick<CallbackEvent, 'company_id' | 'guid' | 'type' | 'body' | 'created_at'> &
    Partial<Pick<CallbackEvent, 'format'>>,
  { url, webhook, api_key_id = null }: Partial<Receiver> & Pick<Receiver, 'url' | 'webhook'>,
): Promise<void> {
  const { host } = new URL(url)
  const receiver = { url, host, webhook, api_key_id, webhook_id: newWebhookId() }
  return callbackStore(tx, event).insert({ format: null, ...event, ...receiver })
}

/** Whether a webhook's `types` contain this one. */
function wants(types: string, type: CallbackType): boolean {
  return (JSON.parse(types) as CallbackType[]).includes(type)
}

type Receiver = { url: string; api_key_id: number | null; webhook: number | null }

function typeOf(message: MovedMessage, { state, step }: Change<Message>): TaskEvent | undefined {
  if (message.task !== 1 || message.silent === 1) return undefined
  if (state === undefined || state === message.state) return undefined
  if ((step ?? message.step) !== 'finished') return undefined
  const type = `task.${state}`
  return TaskEvent.options.find((event) => event === type)
}
