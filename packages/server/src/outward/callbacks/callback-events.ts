import type { CallbackBody, CallbackType } from '@sdd/contract/outward/callbacks.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import type { Message } from '#server/messages/messages/rows.ts'
import type { MoveListener, MovedMessage } from '#server/messages/messages/moving.ts'
import { taskOf } from '#server/tasks/task.ts'
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

type Needs = { clock: Clock; webhooks: Webhooks }

async function tell(
  tx: Tx,
  { clock, webhooks }: Needs,
  message: MovedMessage,
  type: CallbackType,
): Promise<void> {
  const { company_id, id, callback_url, api_key_id } = message
  const known = webhooks.getOrInsertComputed(company_id, () => webhooksOf(tx, company_id))
  const receivers: Receiver[] = []
  if (callback_url !== null) receivers.push({ url: callback_url, api_key_id, webhook: null })
  for (const { id: webhook, url, types } of await known) {
    if ((JSON.parse(types) as CallbackType[]).includes(type))
      receivers.push({ url, api_key_id: null, webhook })
  }
  if (receivers.length === 0) return
  const task = await taskOf(tx, company_id, id)
  const at = instant(clock.now())
  const body = JSON.stringify({ type, at, task } satisfies CallbackBody)
  const callbacks = callbackStore(tx, { company_id })
  await callbacks.holdTask(id)
  for (const receiver of receivers) {
    const host = new URL(receiver.url).host
    const { guid } = task
    await callbacks.insert({
      ...receiver,
      company_id,
      guid,
      type,
      host,
      body,
      webhook_id: newWebhookId(),
      created_at: at,
    })
  }
}

type Receiver = { url: string; api_key_id: number | null; webhook: number | null }

const TYPES: Partial<Record<MessageState, CallbackType>> = {
  sent: 'task.sent',
  delivered: 'task.delivered',
  replied: 'task.replied',
  failed: 'task.failed',
  uncertain: 'task.uncertain',
  expired: 'task.expired',
}

function typeOf(message: MovedMessage, { state, step }: Change<Message>): CallbackType | undefined {
  if (message.task === 0 || message.silent === 1) return undefined
  if (state === undefined || state === message.state) return undefined
  return (step ?? message.step) === 'finished' ? TYPES[state] : undefined
}
