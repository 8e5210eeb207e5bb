import { randomUUID } from 'node:crypto'
import type { LogSelection } from '@sdd/contract/insight/log.ts'
import type { CsvFile } from '@sdd/contract/core/route.ts'
import { recordInBurst } from '#server/accounts/audit/bursts.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { csvLine, escapeFormula } from '#server/core/csv.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import type { Live } from '#server/core/live.ts'
import type { LogRow } from './store.ts'
import { walkLog } from './walk.ts'
import { senderNames } from './senders.store.ts'

type Needs = {
  db: Pick<Database, 'readInWorker' | 'write'>
  clock: Clock
  live: Live
  securityLog: SecurityLog
}

/** The most audit entries about exports of one user within a minute. */
const MOST_ENTRIES = 30
/** Messages to read, and to keep in memory, at a time. */
const PAGE = 1_000

/** Without it, Excel reads UTF-8 as the machine's own code page. */
const BYTE_ORDER_MARK = '\uFEFF'

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
  await recordExport(needs, caller, selection)
  const tx = needs.db.readInWorker
  const { scope } = caller
  yield BYTE_ORDER_MARK + csvLine(columns.map(([title]) => title))
  for await (const rows of walkLog(tx, scope, selection, PAGE)) {
    const names = await senderNames(
      tx,
      rows.map(({ id }) => id),
    )
    yield rows.map((row) => lineOf({ ...row, queued_by: names.get(row.id) ?? null })).join('')
  }
}

/** Records each export in the audit log first, so none goes unrecorded. */
async function recordExport(
  { db, clock, live, securityLog }: Needs,
  caller: Caller,
  selection: LogSelection,
): Promise<void> {
  const { company_id, user_id, address } = caller
  const change = { company_id, action: 'log.exported', name: inWords(selection) } as const
  await db.write((tx) =>
    recordInBurst(tx, clock, caller, change, {
      kind: 'exports of user',
      of: String(user_id),
      most: MOST_ENTRIES,
      what: randomUUID(),
      rest: { by: caller, change: { ...change, name: 'several' } },
    }),
  )
  live.changed(company_id, 'audit')
  securityLog('export.begun', { address, user_id })
}

/** `state=failed, from=2026-06-10T08:00:00Z`, or `everything`. */
function inWords(selection: LogSelection): string {
  const filters = Object.entries(selection).filter(([, value]) => value !== undefined && value !== '')
  return filters.map(([name, value]) => `${name}=${String(value)}`).join(', ') || 'everything'
}

type Row = LogRow & { queued_by: string | null }

function lineOf(row: Row): string {
  return csvLine(
    columns.map(([title, read]) => {
      const cell = read(row)
      return typeof cell !== 'string' || (title === 'Destino' && NUMBER.test(cell))
        ? cell
        : escapeFormula(cell)
    }),
  )
}

/**
 * A phone number keeps its form, including its plus. A spreadsheet reads a plus and digits as a number, never as a
 * formula. With an apostrophe before it, no program could dial it.
 */
const NUMBER = /^\+?\d+$/

/** The titles of the console's table, plus the state (a mark in the console) and the sender (in its details). */
const columns: readonly [title: string, read: (row: Row) => string | number | null][] = [
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
  ['Queued By', (row) => row.queued_by],
]
