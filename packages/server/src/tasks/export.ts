import type { CsvFile } from '@sdd/contract/core/route.ts'
import type { Task, TaskExport } from '@sdd/contract/tasks/tasks.ts'
import { recordExport } from '#server/accounts/audit/exported.ts'
import { mayReadInbox } from '#server/accounts/settings/inbox-role.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import { type CsvColumn, csvHead, csvRow } from '#server/core/csv.ts'
import type { Live } from '#server/core/live.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import { listTasks } from './tasks.ts'

type Needs = {
  db: Pick<Database, 'read' | 'readInWorker' | 'write'>
  clock: Clock
  live: Live
  securityLog: SecurityLog
  numbers: Pick<Numbers, 'kept'>
}

/** Tasks to read, and to keep in memory, at a time. */
const PAGE = 1_000

/** The tasks as a CSV file, newest first, read at the client's speed. Times are as in the list: ISO 8601 in UTC. */
export function exportTasks(needs: Needs, caller: Caller | KeyCaller, selection: TaskExport): CsvFile {
  const { clock } = needs
  return { filename: `tasks-${clock.day(clock.now())}.csv`, pieces: writeTasks(needs, caller, selection) }
}

async function* writeTasks(
  needs: Needs,
  caller: Caller | KeyCaller,
  selection: TaskExport,
): AsyncGenerator<string> {
  const { status, ...rest } = selection
  // Done here, so that a refused file (`busy`) is not recorded.
  await recordExport(needs, caller, 'task.exported', { ...(status !== 'all' && { status }), ...rest })
  const with_replies = await mayReadInbox(needs.db.readInWorker, caller)
  yield csvHead(columns)
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page = await listTasks(needs, caller, { ...selection, limit: PAGE, cursor })
    yield page.tasks.map((task) => csvRow(columns, with_replies ? task : { ...task, reply: null })).join('')
    cursor = page.next_cursor
  }
}

/** The titles of the console's table, then what its details have. */
const columns: readonly CsvColumn<Task>[] = [
  ['GUID', ({ guid }) => guid],
  ['From', ({ from_number }) => from_number, 'number'],
  ['To', ({ to_number }) => to_number, 'number'],
  ['Text', ({ text }) => text],
  ['Sent', ({ sent_stamp }) => sent_stamp],
  ['Silent', ({ silent }) => (silent ? 'Sí' : 'No')],
  ['Created', ({ created_at }) => created_at],
  ['Assigned Device', ({ device_guid_assigned }) => device_guid_assigned],
  ['Assigned', ({ assigned_at }) => assigned_at],
  ['Completed', ({ completed_at }) => completed_at],
  ['Discarded', ({ discarded_at }) => discarded_at],
  ['State', ({ state }) => state],
  ['Attempts', ({ attempts }) => attempts],
  ['Error Msg', ({ error_msg }) => error_msg],
  ['Delivery Time', ({ delivery_at }) => delivery_at],
  ['Reply', ({ reply }) => reply],
  ['Reply Time', ({ reply_at }) => reply_at],
]
