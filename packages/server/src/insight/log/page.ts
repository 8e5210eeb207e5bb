import { LogPage, type LogSelection } from '@sdd/contract/insight/log.ts'
import type { Scope } from '#server/core/context.ts'
import { writeReply, type WrittenReply } from '#server/core/http/serialized-reply.ts'
import { clockAt, type Moment } from '#server/core/moment.ts'
import { pageOf } from '#server/core/paging.ts'
import type { WorkerRead } from '#server/database/schema.ts'
import { withReasons } from './entries.ts'
import { sampleOf } from '#server/messages/search/sample.ts'
import type { LogRow } from './store.ts'
import { walkLog } from './walk.ts'

/** The request for a page: at most `limit` matching messages of the scope, with ids below `below` if it is given. */
type PageAsked = {
  scope: Scope
  selection: LogSelection
  /** The stored form of the number that the selection searches, if it is a whole one. */
  number: string | undefined
  limit: number
  below: number | undefined
  /** Whether the caller may read received SMS. */
  with_replies: boolean
  /** The time for the reasons why messages wait. */
  moment: Moment
}

/** A page of the transaction log, newest first. `next_cursor` is null on the last page. */
export const workerRead: WorkerRead<PageAsked, WrittenReply<LogPage>> = {
  module: import.meta.url,
  async run(tx, { scope, selection, number, limit, below, with_replies, moment }) {
    const rows: LogRow[] = []
    // One row more than the limit shows whether there is another page.
    for await (const slice of walkLog(tx, scope, { ...selection, number }, limit + 1, below)) {
      rows.push(...slice)
      if (rows.length > limit) break
    }
    const { page: read, next_cursor } = pageOf(rows, limit)
    const page = with_replies ? read : read.map((row) => ({ ...row, answer_3: null }))
    // A user of the log may search it next, so the sample is read now, while no request waits for it.
    if (tx.engine === 'sqlite') setImmediate(() => void sampleOf(tx, 'messages').catch(() => {}))
    return writeReply(LogPage, { logs: await withReasons(tx, clockAt(moment), page), next_cursor })
  },
}
