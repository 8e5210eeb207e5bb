import { textOf } from '@sdd/contract/core/client.ts'
import { countLogs, listLogs, readMessage, type LogEntry, type LogFilter } from '@sdd/contract/insight/log.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi, rowsOf } from '#console/core/api.ts'
import { companyQuery, type MessageRef } from '#console/messages/messages/message-ref.ts'
import type { ServerFilter } from './search.ts'
import { isSameDay, shortTime } from '#console/ui/time.ts'

type Beyond =
  | 'company_id'
  | 'state'
  | 'notes_codes'
  | 'error_msg_code'
  | 'error_msg_params'
  | 'waiting_for'
  | 'waiting_code'
  | 'waiting_params'

/** The fields of the user specification are required. A server may leave out the contract's other fields. */
export type LogRow = Omit<LogEntry, Beyond> & Partial<Pick<LogEntry, Beyond>>

export type LogRows = { rows: LogRow[]; next: string | undefined }

/** Not parsed with its schema, as hundreds of rows are reloaded often. */
export function loadLogs(
  query: Partial<Record<keyof LogFilter, string>>,
  signal?: AbortSignal,
): Promise<LogRows> {
  return callApi(
    listLogs,
    { query: query as Parameters<typeof callApi<typeof listLogs>>[1]['query'], signal },
    (body) => ({
      rows: rowsOf<LogRow>(body, 'logs'),
      next: textOf(body, 'next_cursor'),
    }),
  )
}

/** How many messages match, counted for about a second: if not `complete`, there are more. */
export function countQuery(filter: ServerFilter) {
  return queryOptions({
    queryKey: ['logs', 'count', filter],
    queryFn: ({ signal }) => callApi(countLogs, { query: filter, signal }),
    // Counting reads the whole list, so it is not repeated after each change.
    meta: { refresh: 'own' },
    refetchOnWindowFocus: false,
    retry: false,
    gcTime: 0,
  })
}

/** `21:32`, or `19/11 21:32` if that was not today. */
export function messageTime({ queue_timestamp: iso }: LogRow): string {
  return shortTime(iso).slice(isSameDay(iso, Date.now()) ? -8 : 0, -3)
}

export function recentQuery(uid: string) {
  const MOST = 5
  return queryOptions({
    queryKey: ['logs', 'recent', uid],
    queryFn: async ({ signal }) => {
      const { rows } = await loadLogs({ device_uid: uid, limit: String(MOST) }, signal)
      // A server without this filter returns the messages of every device.
      return rows.filter(({ device_guid }) => device_guid === uid).slice(0, MOST)
    },
  })
}

/** The newest messages whose guid starts with the text, or whose number or text contains it. */
export function foundQuery(wanted: string) {
  const MOST = 5
  return queryOptions({
    queryKey: ['logs', 'found', wanted],
    queryFn: async ({ signal }) => {
      const { rows } = await loadLogs({ search: wanted, limit: String(MOST) }, signal)
      // A server without search returns all messages.
      return rows.filter((row) => hasText(row, wanted)).slice(0, MOST)
    },
  })
}

function hasText({ guid, message_to, message }: LogRow, wanted: string): boolean {
  const digits = wanted.replace(/\D/g, '')
  return (
    guid.startsWith(wanted) ||
    (digits !== '' && message_to.includes(digits)) ||
    message.toLowerCase().includes(wanted.toLowerCase())
  )
}

/** Every known field of one message, by name. */
export function messageQuery(messageRef: MessageRef) {
  const { guid, company } = messageRef
  return queryOptions({
    queryKey: ['logs', 'message', guid, company],
    queryFn: ({ signal }) =>
      callApi(
        readMessage,
        { params: { guid }, query: { ...companyQuery(messageRef), facts: 'true' }, signal },
        (body) => (body ?? {}) as Record<string, unknown>,
      ),
  })
}

/** A message's state. If the server does not send it, it is derived from the other fields. */
export function messageStateOf(row: Partial<LogRow>): MessageState {
  if (row.state) return row.state
  if (row.error || row.error_msg || row.error_timestamp) return 'failed'
  if (row.answer_3 || row.answer_3_timestamp) return 'replied'
  if (row.answer_2 || row.answer_2_timestamp) return 'delivered'
  if (row.anwer_sent || row.answer_sent_timestamp) return 'sent'
  return row.handed_timestamp ? 'handed' : 'queued'
}
