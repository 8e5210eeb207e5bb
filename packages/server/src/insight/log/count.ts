import type { LogSelection } from '@sdd/contract/insight/log.ts'
import type { Scope } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import { walkLog } from './walk.ts'

/** How long to count, in ms, and the messages to read at a time. */
const MOST_MS = 1_000
const SLICE = 1_000

/** Counts the matching messages of the scope. If that takes long, `count` is the number found so far. */
export async function countLogs(
  { db }: { db: Pick<Database, 'readInWorker'> },
  scope: Scope,
  selection: LogSelection,
): Promise<{ count: number; complete: boolean }> {
  const until = performance.now() + MOST_MS
  let count = 0
  for await (const { length } of walkLog(db.readInWorker, scope, selection, SLICE)) {
    count += length
    if (performance.now() > until) return { count, complete: false }
  }
  return { count, complete: true }
}
