import { invalidField } from './field-faults.ts'

/**
 * The id below which the cursor's page begins; `undefined` for the first page. Throws `invalid` if it is not a cursor.
 */
export function cursorId(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const id = Number(cursor)
  if (Number.isSafeInteger(id) && id > 0 && String(id) === cursor) return id
  const why = 'must be a next_cursor of an earlier answer'
  throw invalidField('cursor', why, 'bad_format', {})
}

/** Returns one page. The caller reads one row more than `limit`, which shows whether there is another page. */
export function pageOf<Row extends { id: number }>(
  rows: readonly Row[],
  limit: number,
): { page: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, next_cursor: rows.length > limit && last ? String(last.id) : null }
}
