import type { LogSelection } from '@sdd/contract/insight/log.ts'
import { type Numbers, searchedNumber } from '#server/accounts/settings/numbers.ts'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import { walkLog } from './walk.ts'

/** How long to count, in ms, and the messages to read at a time. */
const MOST_MS = 1_000
const SLICE = 1_000

/** Counts the matching messages of the caller's scope. If that takes long, `count` is the number found so far. */
export async function countLogs(
  { db, numbers }: { db: Pick<Database, 'readInWorker'>; numbers: Pick<Numbers, 'kept'> },
  { scope, company_id }: Pick<Caller, 'scope' | 'company_id'>,
  selection: LogSelection,
): Promise<{ count: number; complete: boolean }> {
  const until = performance.now() + MOST_MS
  const number = searchedNumber(numbers, company_id, selection.search)
  let count = 0
  for await (const { length } of walkLog(db.readInWorker, scope, { ...selection, number }, SLICE)) {
    count += length
    if (performance.now() > until) return { count, complete: false }
  }
  return { count, complete: true }
}
