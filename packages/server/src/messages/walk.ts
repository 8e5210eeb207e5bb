import { setImmediate as turn } from 'node:timers/promises'
import type { LogSelection } from '@sdd/contract/messages.ts'
import { instant } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { type MessageFilter, type MessageRow, messageStore } from './store.ts'

/** Ids that one statement goes through where no index finds what is asked for: some 4 ms. */
const SPAN = 10_000

/**
 * The messages of the scope that match, newest first, from below the id `below` where it is given, in slices of at
 * most `limit`. However long the log is and however little of it matches, everybody else has a turn between two
 * statements of a few milliseconds.
 */
export async function* walkLog(
  tx: Tx,
  scope: Scope,
  selection: LogSelection,
  limit: number,
  below?: number,
): AsyncGenerator<MessageRow[], void, undefined> {
  const messages = messageStore(tx, scope)
  const filter = filterOf(selection)
  const indexed = hasIndex(filter, scope)
  // Whatever a caller names, the walk begins where there is something.
  let end = Math.min(below ?? Infinity, (await messages.newestId()) + 1)
  while (end > 1) {
    const from = indexed ? undefined : Math.max(1, end - SPAN)
    const rows = await messages.slice(filter, { ...(from && { from }), below: end }, limit)
    if (rows.length > 0) yield rows
    end = rows.length === limit ? rows.at(-1)!.id : (from ?? 0)
    if (end > 1) await turn()
  }
}

/** A device has few messages among all; of the rest, an index leads to a company's states and errors. */
function hasIndex({ device_uid, search, from, to, state, errors }: MessageFilter, scope: Scope): boolean {
  if (device_uid !== undefined) return true
  return !(search || from || to || (scope === 'all' && (state || errors)))
}

function filterOf({ search, errors, from, to, device_uid, state }: LogSelection): MessageFilter {
  return {
    device_uid,
    state,
    search: search?.trim(),
    errors: errors === 'true',
    from: from && instant(Date.parse(from)),
    to: to && instant(Date.parse(to)),
  }
}
