import type { Change, Schema, Tx, Value } from './schema.ts'

/** Changes these columns of the row with this id. */
export async function updateById<Table extends 'messages' | 'attempts' | 'devices'>(
  tx: Tx,
  table: Table,
  id: number,
  change: Change<Schema[Table]>,
): Promise<void> {
  const columns: string[] = []
  const values: Value[] = []
  for (const [column, value] of Object.entries(change)) {
    if (value === undefined) continue
    columns.push(column)
    values.push(value as Value)
  }
  if (columns.length === 0) return
  values.push(id)
  await tx.run(updateText(table, columns), [values])
}

const updates = new Map<string, string>()

function updateText(table: string, columns: readonly string[]): string {
  const key = `${table} ${columns.join()}`
  return updates.getOrInsertComputed(
    key,
    () => `update ${table} set ${columns.map((column) => `${column} = ?`).join(', ')} where id = ?`,
  )
}

/**
 * Lists of values for `in (values …)`, each `(?, ?)` wide as they are: the last is repeated up to a power of two, so
 * that few texts are prepared.
 */
export function padded(lists: readonly (readonly Value[])[]): { text: string; values: Value[] } {
  const size = 2 ** Math.ceil(Math.log2(lists.length))
  const values = lists.flat()
  const last = lists.at(-1)!
  for (let more = lists.length; more < size; more++) values.push(...last)
  return { text: placeholders(size, last.length), values }
}

const lists = new Map<string, string>()

function placeholders(size: number, width: number): string {
  return lists.getOrInsertComputed(`${size} ${width}`, () => {
    const one = `(${Array(width).fill('?').join(', ')})`
    return Array(size).fill(one).join(', ')
  })
}
