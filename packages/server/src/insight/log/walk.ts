import { setImmediate as turn } from 'node:timers/promises'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import type { LogSelection } from '@sdd/contract/insight/log.ts'
import { instant } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { MONTH_IDS } from '#server/database/months/layout.ts'
import type { Tx } from '#server/database/schema.ts'
import { type LogRow, logStore, type MessageFilter, type Named } from './store.ts'
import { openSearch } from './search.ts'

/** Ids to scan in one statement if no index helps: some 4 ms. */
const SPAN = 10_000

/** `number` is the stored form of a whole number in `search`, which may be written in another way. */
type Selection = LogSelection & { number?: string | undefined }

type Rows = AsyncGenerator<LogRow[], void, undefined>

/**
 * The matching messages of the scope, newest first, with ids below `below` if it is given, in slices of at most
 * `limit`. However long the log is and however few messages match, other work gets a turn between statements of a few
 * milliseconds. Each statement gives a slice, an empty one too, after which the reader may stop.
 */
export async function* walkLog(
  tx: Tx,
  scope: Scope,
  selection: Selection,
  limit: number,
  below?: number,
): Rows {
  const filter = await byName(tx, scope, filterOf(selection), selection.number)
  const all = { from: 1, below: below ?? Number.MAX_SAFE_INTEGER }
  if (!filter.search && hasIndex(filter, scope)) return yield* walkDown(tx, scope, filter, limit, all)
  // Starts at the newest message, whatever id the caller names.
  const end = Math.min(below ?? Infinity, (await logStore(tx, scope).newestId()) + 1)
  const search = filter.search ? await openSearch(tx, scope, filter.search) : undefined
  if (search === undefined) return yield* walkDown(tx, scope, filter, limit, { from: 1, below: end })
  // Messages that are not indexed yet are scanned.
  const indexed = Math.min(search.reaches + 1, end)
  yield* walkDown(tx, scope, filter, limit, { from: indexed, below: end })
  for await (const found of search.candidates({ from: 1, below: indexed })) {
    if (!Array.isArray(found)) {
      yield* walkDown(tx, scope, filter, limit, found)
      continue
    }
    const part = { from: found.at(-1)!, below: found[0]! + 1, ids: found }
    const rows = await logStore(tx, scope).slice(filter, part, found.length)
    yield rows
    await turn()
  }
}

/** A plus and this many digits are a whole number, or nearly. */
const WHOLE_NUMBER = /^\+\d{9,15}$/
const WHOLE_GUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * If a message has this whole number or whole guid (in our format), finds it by its index only, as that is what the
 * user means. Digits without a plus, and numbers or guids that no message has, are searched anywhere in the text.
 */
async function byName(
  tx: Tx,
  scope: Scope,
  filter: MessageFilter,
  number: string | undefined,
): Promise<MessageFilter> {
  const named = nameOf(filter.search ?? '', number)
  if (named === undefined || !(await logStore(tx, scope).has(named))) return filter
  return { ...filter, search: undefined, named }
}

function nameOf(search: string, number: string | undefined): Named | undefined {
  if (number !== undefined) return { number }
  const digits = dropSeparators(search)
  if (WHOLE_NUMBER.test(digits)) return { number: digits }
  return WHOLE_GUID.test(search) ? { guids: [search, search.toLowerCase()] } : undefined
}

async function* walkDown(
  tx: Tx,
  scope: Scope,
  filter: MessageFilter,
  limit: number,
  { from: last, below }: { from: number; below: number },
): Rows {
  const indexed = hasIndex(filter, scope)
  let end = below
  while (end > last) {
    // At the start of a month, the last ids of the month before are far away.
    if (!indexed && end % MONTH_IDS === 0) end = (await logStore(tx, scope).newestId(end)) + 1
    const from = indexed ? last : Math.max(last, end - SPAN, firstOfMonth(end - 1))
    const rows = await logStore(tx, scope).slice(filter, { ...(from > 1 && { from }), below: end }, limit)
    yield rows
    end = rows.length === limit ? rows.at(-1)!.id : from
    if (end > last) await turn()
  }
}

function firstOfMonth(id: number): number {
  return Math.floor(id / MONTH_IDS) * MONTH_IDS
}

/** A device or a number has few messages. Otherwise only a company's states and errors have an index. */
function hasIndex(filter: MessageFilter, scope: Scope): boolean {
  const { device_uid, named, search, from, to, states, errors, error } = filter
  if (device_uid !== undefined || named !== undefined) return true
  return !(search || from || to || error || (scope === 'all' && (states || errors)))
}

function filterOf({ search, errors, error, from, to, device_uid, state }: LogSelection): MessageFilter {
  return {
    device_uid,
    states: state,
    error: error || undefined,
    search: search?.trim().normalize(),
    errors: errors === 'true',
    from: from && instant(Date.parse(from)),
    to: to && instant(Date.parse(to)),
  }
}
