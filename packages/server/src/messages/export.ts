import type { LogSelection } from '@sdd/contract/messages.ts'
import type { CsvFile } from '@sdd/contract/route.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { csvLine, harmless } from '#server/core/csv.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { LogRow } from './log/store.ts'
import { walkLog } from './log/walk.ts'

/** Messages that are read, and held, at a time. */
const PAGE = 1_000

/** Without it Excel takes UTF-8 for the machine's own code page. */
const BYTE_ORDER_MARK = '\uFEFF'

/** The log as a CSV file, newest first, read as the client takes it. Times are as in the list: ISO 8601 in UTC. */
export function exportLogs(
  { db, clock }: { db: Pick<Database, 'readAside'>; clock: Clock },
  scope: Scope,
  selection: LogSelection,
): CsvFile {
  return {
    filename: `transaction-logs-${clock.day(clock.now())}.csv`,
    pieces: writeLog(db.readAside, scope, selection),
  }
}

async function* writeLog(tx: Tx, scope: Scope, selection: LogSelection): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(columns.map(([title]) => title))
  for await (const rows of walkLog(tx, scope, selection, PAGE)) yield rows.map(lineOf).join('')
}

function lineOf(row: LogRow): string {
  return csvLine(
    columns.map(([title, read]) => {
      const cell = read(row)
      return typeof cell !== 'string' || (title === 'Destino' && NUMBER.test(cell)) ? cell : harmless(cell)
    }),
  )
}

/**
 * A number to dial stays as it is, its plus included: a plus and digits are a number to a spreadsheet and never a
 * formula, and with an apostrophe before it no program could dial it.
 */
const NUMBER = /^\+?\d+$/

/** The titles of the console's table, and the state, which it shows as a mark. */
const columns: readonly [title: string, read: (row: LogRow) => string | number | null][] = [
  ['ID', (row) => row.id],
  ['GUID', (row) => row.guid],
  ['Device ID', (row) => row.device_id],
  ['Device GUID', (row) => row.device_guid],
  ['Mensaje', (row) => row.message],
  ['Destino', (row) => row.message_to],
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
]
