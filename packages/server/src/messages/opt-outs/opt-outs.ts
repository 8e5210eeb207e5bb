import type { OptOut, OptOutSelection } from '@sdd/contract/messages/opt-outs.ts'
import type { Scope } from '#server/core/context.ts'
import { numberKey } from '#server/core/number-key.ts'
import { cursorId, pageOf } from '#server/core/paging.ts'
import { Refusal } from '#server/core/refusal.ts'
import { newestIn } from '#server/core/spans.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { ADMIN, failures } from '#server/messages/outcomes/outcomes.ts'
import { type OptOutRow, optOutsByKeys, optOutStore } from './store.ts'

/** The blocks of these numbers, by the number as given, in one query. */
export async function optedOut(
  tx: Tx,
  company_id: number,
  numbers: readonly string[],
): Promise<Map<string, OptOut>> {
  const rows = await optOutsByKeys(tx, company_id, numbers.map(numberKey))
  if (rows.length === 0) return new Map()
  const byKey = new Map(rows.map((row) => [row.number_key, asOptOut(row)]))
  return new Map(
    numbers.flatMap((number) => {
      const optOut = byKey.get(numberKey(number))
      return optOut ? [[number, optOut] as const] : []
    }),
  )
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
  { db }: { db: Pick<Database, 'readInWorker'> },
  scope: Scope,
  { search, limit, cursor }: OptOutSelection,
): Promise<{ opt_outs: OptOut[]; next_cursor: string | null }> {
  const optOuts = optOutStore(db.readInWorker, scope)
  const below = Math.min(cursorId(cursor) ?? Infinity, (await optOuts.newestId()) + 1)
  const rows =
    search === undefined
      ? await optOuts.slice({ below }, undefined, limit + 1)
      : await newestIn({ below, limit: limit + 1 }, (span, most) => optOuts.slice(span, search, most))
  const { page, next_cursor } = pageOf(rows, limit)
  return { opt_outs: page.map(asOptOut), next_cursor }
}

/** In the form of the contract. */
export function asOptOut({ number_key: _, ...optOut }: OptOutRow): OptOut {
  return optOut
}
