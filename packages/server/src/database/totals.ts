import { isPostgres, runText, type Value } from './dialect.ts'
import { runMany } from './direct.ts'
import type { Tx } from './schema.ts'

/** In the order in which they are written: who gives devices something holds their rows from the beginning. */
const TABLES = ['devices', 'counters', 'lanes'] as const

/** A kind of row that nearly every work adds to. Those that share a commit write the sum of theirs, once. */
export type Total = {
  readonly table: (typeof TABLES)[number]
  /** Which of the table's rows or columns, where there are several kinds. */
  readonly kind?: string
  /** Of the values of its key, of the sum, and of the rest. */
  readonly types: readonly ('bigint' | 'text')[]
  /** Adds to rows, and makes those that there are not: `rows` is a select of these values. */
  add(rows: string): string
  /** The same for a single row, where that is less: `?1` is the first of these values. */
  readonly one?: string
  /** Afterwards, where it has become less: a `?` for each value of the key. */
  readonly less?: string
}

/** What the works of one commit add up. */
export type Totals = {
  /** Before the first work of a transaction: forgets what is left of an earlier one. */
  clear(): void
  /** Before each work. */
  begin(): void
  /** The work is undone, and what it added with it. */
  undo(): void
  add(sum: Sum): void
  /** Writes the sums in the order of their keys: the same at every server, so that no two wait for each other. */
  write(): Promise<void>
}

type Sum = { total: Total; key: readonly Value[]; sum: number; rest: readonly Value[] }
type Sums = Map<string, Sum>

/** Of an adapter whose handle writes: where its works add up. */
const TOTALS = Symbol('totals')

/** From now on, what is added through this handle waits for `write`. */
export function openTotals(tx: Tx): Totals {
  /** Of the works before this one, as far as the transaction has not got it yet; of this one. */
  let before: Sums = new Map()
  let own: Sums = new Map()
  /** This work has written what was before it, which is to be written again if it is undone. */
  let written = false

  function begin(): void {
    if (written) before = new Map()
    for (const sum of own.values()) addTo(before, sum)
    own = new Map()
    written = false
  }

  const totals: Totals = {
    begin,
    clear() {
      begin()
      before = new Map()
    },
    undo() {
      own = new Map()
      written = false
    },
    add: (sum) => addTo(own, sum),
    async write() {
      const sums: Sums = new Map()
      if (!written) for (const sum of before.values()) addTo(sums, sum)
      for (const sum of own.values()) addTo(sums, sum)
      own = new Map()
      written = true
      await writeAll(
        tx,
        [...sums.keys()].sort().map((name) => sums.get(name)!),
      )
    },
  }
  Object.assign(tx.getExecutor().adapter, { [TOTALS]: totals })
  return totals
}

/** Adds to a row of this kind before the commit; at once where the handle is of no shared commit. */
export async function addUp(
  tx: Tx,
  total: Total,
  key: readonly Value[],
  by: number,
  rest: readonly Value[] = [],
): Promise<void> {
  const sum = { total, key, sum: by, rest }
  const totals = totalsOf(tx)
  if (totals) totals.add(sum)
  else await writeAll(tx, [sum])
}

/** Before a work reads such rows: writes what was added up so far. */
export async function writeTotals(tx: Tx): Promise<void> {
  await totalsOf(tx)?.write()
}

function totalsOf(tx: Tx): Totals | undefined {
  return (tx.getExecutor().adapter as { [TOTALS]?: Totals })[TOTALS]
}

function addTo(sums: Sums, more: Sum): void {
  const { table, kind = '' } = more.total
  const name = `${TABLES.indexOf(table)} ${more.key.join(' ')} ${kind}`
  const found = sums.get(name)
  if (found === undefined) sums.set(name, { ...more })
  else {
    found.sum += more.sum
    found.rest = more.rest
  }
}

/** In this order; PostgreSQL is told at once of those of one kind that follow each other. */
async function writeAll(tx: Tx, sums: readonly Sum[]): Promise<void> {
  const changed = sums.filter(({ sum }) => sum !== 0)
  for (let from = 0, until = 0; from < changed.length; from = until) {
    const { total } = changed[from]!
    while (changed[until]?.total === total) until++
    const alike = changed.slice(from, until)
    await addAll(tx, total, alike)
    const less = alike.filter(({ sum }) => sum < 0).map(({ key }) => key)
    if (total.less !== undefined) await runMany(tx, total.less, less)
  }
}

async function addAll(tx: Tx, total: Total, sums: readonly Sum[]): Promise<void> {
  const lists = sums.map(({ key, sum, rest }) => [...key, sum, ...rest])
  if (!isPostgres(tx)) return runMany(tx, textOf(total, false), lists)
  const columns = total.types.map((_, place) => lists.map((values) => values[place]))
  await runText(tx, textOf(total, true), columns)
}

const texts = new Map<Total, { one: string; many: string }>()

function textOf(total: Total, many: boolean): string {
  const each = (cast: (type: string) => string) =>
    total.types.map((type) => `cast(? as ${cast(type)})`).join(', ')
  const known = texts.getOrInsertComputed(total, () => ({
    one: total.one ?? total.add(`values (${each((type) => type)})`),
    many: total.add(`select * from unnest(${each((type) => `${type}[]`)})`),
  }))
  return many ? known.many : known.one
}
