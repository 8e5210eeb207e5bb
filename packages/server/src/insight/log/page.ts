import { LogPage, type LogSelection } from '@sdd/contract/insight/log.ts'
import type { Scope } from '#server/core/context.ts'
import { writeReply, type WrittenReply } from '#server/core/http/written.ts'
import { clockAt, type Moment } from '#server/core/moment.ts'
import { pageOf } from '#server/core/paging.ts'
import type { Aside } from '#server/database/schema.ts'
import { withReasons } from './entries.ts'
import { sampleOf } from './sample.ts'
import type { LogRow } from './store.ts'
import { walkLog } from './walk.ts'

/** Which page: of the scope's messages that match, as many as `limit` from below the id `below`, where it is given. */
export type PageAsked = {
  scope: Scope
  selection: LogSelection
  limit: number
  below: number | undefined
  /** By which it is said why a message waits. */
  moment: Moment
}

/** A page of the transaction log, newest first; `next_cursor` is null on the last. */
export const aside: Aside<PageAsked, WrittenReply<LogPage>> = {
  module: import.meta.url,
  async run(tx, { scope, selection, limit, below, moment }) {
    const rows: LogRow[] = []
    // One more than asked for tells whether there is another page.
    for await (const slice of walkLog(tx, scope, selection, limit + 1, below)) {
      rows.push(...slice)
      if (rows.length > limit) break
    }
    const { page, next_cursor } = pageOf(rows, limit)
    // Who looks at the log may search it next: what that goes by is read while nobody waits.
    if (tx.engine === 'sqlite') setImmediate(() => void sampleOf(tx).catch(() => {}))
    return writeReply(LogPage, { logs: await withReasons(tx, clockAt(moment), page), next_cursor })
  },
}
