import { invalidField } from './field-faults.ts'

/**
 * The id below which the cursor's page begins; `undefined` for the first page. Throws `invalid` if it is not a cursor.
 */
export function cursorId(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const id = Number(cursor)
  if (Number.isSafeInteger(id) && id > 0 && String(id) === cursor) return id
  return badCursor()
}

/** Refuses a cursor. */
export function badCursor(): never {
  throw invalidField('cursor', 'must be a next_cursor of an earlier answer', 'bad_format', {})
}

type Page<Row> = { page: Row[]; next_cursor: string | null }

/** Returns one page. The caller reads one row more than `limit`, which shows whether there is another page. */
export function pageOf<Row extends { id: number }>(rows: readonly Row[], limit: number): Page<Row> {
  return pageBy(rows, limit, ({ id }) => String(id))
}

/** `pageOf`, with cursors of its own: the place of the page's last row. */
export function pageBy<Row>(rows: readonly Row[], limit: number, cursorOf: (last: Row) => string): Page<Row> {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { page, next_cursor: rows.length > limit && last ? cursorOf(last) : null }
}
