/** A time in ISO 8601. */
export type Time = string

export type MessageClass = 'code' | 'transactional' | 'marketing'

export type NewTask = {
  /** A phone number, or a short code of 3 to 6 digits. */
  to_number: string
  text: string
  /** Your identifier. The same task is stored once, however often it is submitted. Made by `send` if absent. */
  guid?: string | null
  /** Send it from the SIM of this number. */
  from_number?: string | null
  /** Without a delivery report and without callbacks. */
  silent?: boolean
  class?: MessageClass | null
  /** Your own time of it, kept and shown. */
  sent_stamp?: Time | null
  not_before?: Time | null
  expires_at?: Time | null
  callback_url?: string | null
}

export type TaskReceipt = { guid: string; status: 'received' | 'repeated' }

/** The outcome of one task of several. */
export type TaskResult = {
  guid: string | null
  status: 'received' | 'repeated' | 'refused'
  code?: string
  detail?: string
  params?: Record<string, unknown>
  fields?: Record<string, string>
  field_codes?: Record<string, { code: string; params: Record<string, unknown> }>
}

export type TaskState =
  | 'received'
  | 'started'
  | 'completed'
  | 'failed'
  | 'uncertain'
  | 'expired'
  | 'discarded'

type Facts = Record<string, unknown>

export type Task = {
  company_id: number
  guid: string
  from_number: string | null
  to_number: string
  text: string
  sent_stamp: string | null
  silent: boolean
  class: MessageClass
  created_at: Time
  device_guid_assigned: string | null
  assigned_at: Time | null
  completed_at: Time | null
  discarded_at: Time | null
  state: TaskState
  expires_at: Time
  attempts: number
  error_msg: string | null
  error_msg_code: string | null
  error_msg_params: Facts | null
  delivery_at: Time | null
  reply: string | null
  reply_at: Time | null
  waiting_for: string | null
  waiting_code: string | null
  waiting_params: Facts | null
}

/** Absent fields do not filter. */
export type TaskFilter = {
  status?: 'all' | 'received' | 'started' | 'completed'
  /** Several with commas. */
  state?: string
  search?: string
  from?: Time
  to?: Time
}

export type ReceivedSms = {
  id: string
  number: string
  text: string
  received_at: Time
  device_uid: string
  sim: string | null
  /** The guid of the message that it answers. */
  reply_to: string | null
}

export type InboxFilter = {
  /** An id of an SMS, or a time: only those that were stored later. */
  since?: string
  device_uid?: string
  search?: string
}

export type TaskEvent = {
  type: 'task.sent' | 'task.delivered' | 'task.replied' | 'task.failed' | 'task.uncertain' | 'task.expired'
  at: Time
  task: Task
}

export type ReceivedEvent = { type: 'sms.received'; at: Time; sms: ReceivedSms }
export type TestEvent = { type: 'webhook.test'; at: Time; webhook: number }

/** The body of a callback or webhook. */
export type WebhookEvent = TaskEvent | ReceivedEvent | TestEvent
