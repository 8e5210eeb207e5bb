import type { LogFilter, LogPage } from '@sdd/contract/insight/log.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import type { WrittenReply } from '#server/core/http/serialized-reply.ts'
import { momentOf } from '#server/core/moment.ts'
import { cursorId } from '#server/core/paging.ts'
import type { Database } from '#server/database/open.ts'
import { workerRead as page } from './page.ts'

/** A page of the transaction log, newest first. `next_cursor` is null on the last page. */
export async function listPage(
  { db, clock }: { db: Pick<Database, 'runInWorker'>; clock: Clock },
  scope: Scope,
  { limit, cursor, ...selection }: LogFilter,
): Promise<WrittenReply<LogPage>> {
  const below = cursorId(cursor)
  return db.runInWorker(page, { scope, selection, limit, below, moment: momentOf(clock) })
}
