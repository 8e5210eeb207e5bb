import type { LogSelection } from '@sdd/contract/insight/log.ts'
import type { CsvFile } from '@sdd/contract/core/route.ts'
import { type Numbers, searchedNumber } from '#server/accounts/settings/numbers.ts'
import { recordExport } from '#server/accounts/audit/exported.ts'
import { mayReadInbox } from '#server/accounts/settings/inbox-role.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { type CsvColumn, csvHead, csvRow } from '#server/core/csv.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import type { Live } from '#server/core/live.ts'
import type { LogRow } from './store.ts'
import { walkLog } from './walk.ts'
import { senderNames } from '#server/messages/messages/senders.store.ts'

type Needs = {
  db: Pick<Database, 'readInWorker' | 'write'>
  clock: Clock
  numbers: Pick<Numbers, 'kept'>
  live: Live
  securityLog: SecurityLog
}

/** Messages to read, and to keep in memory, at a time. */
const PAGE = 1_000

/** The log as a CSV file, newest first, read at the client's speed. Times are as in the list: ISO 8601 in UTC. */
export function exportLogs(needs: Needs, caller: Caller, selection: LogSelection): CsvFile {
  const { clock } = needs
  return {
    filename: `transaction-logs-${clock.day(clock.now())}.csv`,
    pieces: writeLog(needs, caller, selection),
  }
}

async function* writeLog(needs: Needs, caller: Caller, selection: LogSelection): AsyncGenerator<string> {
  // Done here, so that a refused file (`busy`) is not recorded.
  await recordExport(needs, caller, 'log.exported', selection)
  const tx = needs.db.readInWorker
  const with_replies = await mayReadInbox(tx, caller)
  const { scope, company_id } = caller
  const number = searchedNumber(needs.numbers, company_id, selection.search)
  yield csvHead(columns)
  for await (const rows of walkLog(tx, scope, { ...selection, number }, PAGE)) {
    const names = await senderNames(
      tx,
      rows.map(({ id }) => id),
    )
    yield rows
      .map((row) =>
        csvRow(columns, {
          ...row,
          ...(!with_replies && { answer_3: null }),
          queued_by: names.get(row.id) ?? null,
        }),
      )
      .join('')
  }
}

/** The titles of the console's table, plus the state (a mark in the console) and the sender (in its details). */
const columns: readonly CsvColumn<LogRow & { queued_by: string | null }>[] = [
  ['ID', (row) => row.id],
  ['GUID', (row) => row.guid],
  ['Device ID', (row) => row.device_id],
  ['Device GUID', (row) => row.device_guid],
  ['Mensaje', (row) => row.message],
  ['Destino', (row) => row.message_to, 'number'],
  ['Queue Time', (row) => row.queue_timestamp],
  ['Handed Time', (row) => row.handed_timestamp],
  ['Answer Sent Time', (row) => row.answer_sent_timestamp],
  ['Answer Sent', (row) => row.anwer_sent],
  ['Answer 2 Time', (row) => row.answer_2_timestamp],
  ['Answer 2', (row) => row.answer_2],
  ['Notes', (row) => row.notes],
  ['Answer 3', (row) => row.answer_3],
  ['Answer 3 Time', (row) => row.answer_3_timestamp],
  ['Error', (row) => row.error],
  ['Error Msg', (row) => row.error_msg],
  ['Error Time', (row) => row.error_timestamp],
  ['State', (row) => row.state],
  ['Queued By', (row) => row.queued_by],
]
