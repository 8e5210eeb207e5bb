import type { TaskPage, TaskSelection } from '@sdd/contract/tasks.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { idOf, pageOf } from '#server/core/paging.ts'
import type { Database } from '#server/database/open.ts'
import { reasonsOf } from '#server/messages/waiting.ts'
import { taskStore } from './store.ts'
import { asTask } from './task.ts'

/** A page of the tasks that other systems handed in, newest first; `next_cursor` is null on the last. */
export async function listTasks(
  { db, clock }: { db: Pick<Database, 'read'>; clock: Clock },
  scope: Scope,
  { status, limit, cursor }: TaskSelection,
): Promise<TaskPage> {
  const rows = await taskStore(db.read, scope).page(status, idOf(cursor), limit + 1)
  const { page, next_cursor } = pageOf(rows, limit)
  const reasons = await reasonsOf(db.read, clock, page)
  return { tasks: page.map((row) => asTask(row, reasons.get(row.id) ?? null)), next_cursor }
}
