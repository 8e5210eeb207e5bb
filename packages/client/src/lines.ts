import type { ReceivedSms, Task } from './types.ts'

/** The fields of a log entry that a line shows. */
export type LogRow = {
  id: number
  guid: string
  state: string
  queue_timestamp: string
  device_guid: string | null
  message_to: string
  message: string
  error: string | null
}

type DeviceRow = {
  uid: string
  status: string
  enabled: boolean
  name: string | null
  location: string | null
}

export const taskLine = (task: Task): string =>
  row(task.created_at, task.state, task.guid, task.to_number, oneLine(task.text), task.error_msg ?? '')

export const smsLine = (sms: ReceivedSms): string =>
  row(sms.received_at, sms.number, sms.device_uid, oneLine(sms.text))

export const logLine = (entry: LogRow): string =>
  row(
    entry.queue_timestamp,
    entry.state,
    entry.device_guid ?? '-',
    entry.message_to,
    oneLine(entry.message),
    entry.error ?? '',
  )

export const deviceLine = ({ uid, status, enabled, name, location }: DeviceRow): string =>
  row(uid, enabled ? status : `${status}, disabled`, name ?? '', location ?? '')

/** Columns with tabs between, for `cut` and `awk`. */
function row(...columns: string[]): string {
  return columns.join('\t').trimEnd()
}

/** A text of somebody else, which must not control the terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
}
