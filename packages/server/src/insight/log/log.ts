import type { LogFilter, LogPage } from '@sdd/contract/insight/log.ts'
import type { Clock } from '#server/core/clock.ts'
import { mayReadInbox } from '#server/accounts/settings/inbox-role.ts'
import { type Numbers, searchedNumber } from '#server/accounts/settings/numbers.ts'
import type { Caller } from '#server/core/context.ts'
import type { WrittenReply } from '#server/core/http/serialized-reply.ts'
import { momentOf } from '#server/core/moment.ts'
import { cursorId } from '#server/core/paging.ts'
import type { Database } from '#server/database/open.ts'
import { workerRead as page } from './page.ts'

/** A page of the transaction log, newest first. `next_cursor` is null on the last page. */
export async function listPage(
  {
    db,
    clock,
    numbers,
  }: { db: Pick<Database, 'read' | 'runInWorker'>; clock: Clock; numbers: Pick<Numbers, 'kept'> },
  caller: Pick<Caller, 'scope' | 'company_id' | 'role'>,
  { limit, cursor, ...selection }: LogFilter,
): Promise<WrittenReply<LogPage>> {
  const { scope, company_id } = caller
  const below = cursorId(cursor)
  const with_replies = await mayReadInbox(db.read, caller)
  const number = searchedNumber(numbers, company_id, selection.search)
  return db.runInWorker(page, {
    scope,
    selection,
    number,
    limit,
    below,
    with_replies,
    moment: momentOf(clock),
  })
}
