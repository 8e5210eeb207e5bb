import { Refusal } from './refusal.ts'

/** The id below which the page of this cursor begins; `undefined` for the first page, `invalid` for what is no cursor. */
export function idOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const id = Number(cursor)
  if (Number.isSafeInteger(id) && id > 0 && String(id) === cursor) return id
  const why = 'must be a next_cursor of an earlier answer'
  throw new Refusal('invalid', `cursor ${why}.`, { fields: { cursor: why } })
}

/** One page of rows, of which one more was asked for than it takes: that one tells whether there is another page. */
export function pageOf<Row extends { id: number }>(
  rows: readonly Row[],
  limit: number,
): { page: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, next_cursor: rows.length > limit && last ? String(last.id) : null }
}
