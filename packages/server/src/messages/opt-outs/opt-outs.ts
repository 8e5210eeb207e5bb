import { dropSeparators } from '@sdd/contract/core/fields.ts'
import type { OptOut, OptOutSelection } from '@sdd/contract/messages/opt-outs.ts'
import { type Numbers, searchedNumber } from '#server/accounts/settings/numbers.ts'
import type { Caller } from '#server/core/context.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { Refusal } from '#server/core/refusal.ts'
import { newestIn } from '#server/core/spans.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { ADMIN, failures } from '#server/messages/outcomes/outcomes.ts'
import { optOutsOf, optOutStore } from './store.ts'

/** The blocks of these numbers, by number, in one query. */
export async function optedOut(
  tx: Tx,
  company_id: number,
  numbers: readonly string[],
): Promise<Map<string, OptOut>> {
  const rows = await optOutsOf(tx, company_id, numbers)
  return new Map(rows.map((row) => [row.number, row]))
}

/** `opted_out` if the company may not write to this number. */
export async function refuseOptedOut(tx: Tx, company_id: number, number: string): Promise<void> {
  const optOut = (await optedOut(tx, company_id, [number])).get(number)
  if (optOut !== undefined) throw blockRefusal(number, optOut)
}

/** The refusal of a message to this number. */
export function blockRefusal(number: string, optOut: OptOut): Refusal {
  const params = { number, at: optOut.created_at, by: optOut.created_by }
  return new Refusal('opted_out', explainBlock(number, optOut), { params })
}

/** A sentence that says why nothing is sent to this number, since when, and how to change that. */
export function explainBlock(
  number: string,
  { text, device_uid, created_by, created_at }: Omit<OptOut, 'id'>,
): string {
  if (text === null) return failures.blocked.write({ number, by: created_by ?? ADMIN, at: created_at })
  const quoted = JSON.stringify(text.slice(0, 60))
  return failures.opted_out.write({ number, text: quoted, device: device_uid ?? '', at: created_at })
}

/** A page of the blocked numbers, newest first. `next_cursor` is null on the last page. */
export async function listOptOuts(
  { db, numbers }: { db: Pick<Database, 'readInWorker'>; numbers: Pick<Numbers, 'kept'> },
  { scope, company_id }: Pick<Caller, 'scope' | 'company_id'>,
  { search: typed, limit, cursor }: OptOutSelection,
): Promise<{ opt_outs: OptOut[]; next_cursor: string | null }> {
  const optOuts = optOutStore(db.readInWorker, scope)
  const search = typed?.trim()
    ? (searchedNumber(numbers, company_id, typed) ?? dropSeparators(typed))
    : undefined
  // Separators only, which no number has.
  if (search === '') return { opt_outs: [], next_cursor: null }
  const below = Math.min(cursorId(cursor) ?? Infinity, (await optOuts.newestId()) + 1)
  const rows =
    search === undefined
      ? await optOuts.slice({ below }, undefined, limit + 1)
      : await newestIn({ below, limit: limit + 1 }, (span, most) => optOuts.slice(span, search, most))
  const { page, next_cursor } = pageOf(rows, limit)
  return { opt_outs: page, next_cursor }
}
