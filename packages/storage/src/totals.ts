import { type Engine, perEngine, type Statement, sql, type Value } from './sql.ts'

/**
 * A kind of row to which nearly every write adds. Writes that share a commit write the sum of their additions once. The
 * columns are the key, then the sum, then the rest.
 */
export type Total = {
  /** The position of this kind when a commit writes the totals: see `Totals.write`. */
  readonly order: number
  /** Distinguishes kinds with the same order. */
  readonly kind: string
  write(tx: Writer, sums: readonly Sum[]): Promise<void>
}

/** The part of a transaction that writes totals. */
export type Writer = {
  readonly engine: Engine
  run(statement: Statement<never, Row>, values: Row): Promise<void>
  runEach(statement: Statement<never, Row>, list: readonly Row[]): Promise<void>
}

type Sum = { key: readonly Value[]; sum: number; rest: readonly Value[] }
type Added = Sum & { total: Total }
type Sums = Map<string, Added>

/** Collects the additions of all writes in one commit. */
export type Totals = {
  /** Called before the first write of a transaction. Forgets the rest of an earlier transaction. */
  clear(): void
  /** Called before each write. */
  begin(): void
  /** Called when the current write is rolled back. Drops its additions. */
  undo(): void
  add(sum: Added): void
  /** Flushes the sums, ordered by kind and key. The order is the same on every server, to avoid deadlocks. */
  write(): Promise<void>
}

type Row = Record<string, Value | readonly Value[]>

/** Declares a kind of row to which writes add. */
export function total(kind: {
  order: number
  kind?: string
  /** The names and types of the columns: key, sum and rest. */
  columns: Readonly<Record<string, 'bigint' | 'text'>>
  /** Upserts a select of these columns: adds to existing rows and inserts missing ones. */
  add(rows: string): string
  /** The same for one row, if that is shorter. SQLite adds row by row. */
  one?: string
  /** Runs for each key whose sum is below 0. */
  less?: string
}): Total {
  const names = Object.keys(kind.columns)
  const each = (cast: (type: string) => string) =>
    Object.entries(kind.columns).map(([name, type]) => `cast(:${name} as ${cast(type)})`)
  const add: Statement<never, Row> = sql`${perEngine({
    sqlite: kind.one ?? kind.add(`values (${each((type) => type).join(', ')})`),
    postgres: kind.add(`select * from unnest(${each((type) => `${type}[]`).join(', ')})`),
  })}`
  const less: Statement<never, Row> | undefined = kind.less === undefined ? undefined : sql`${kind.less}`
  const rowOf = (values: readonly Value[]): Row =>
    Object.fromEntries(values.map((value, column) => [names[column]!, value]))

  return {
    order: kind.order,
    kind: kind.kind ?? '',
    async write(tx, sums) {
      const rows = sums.map(({ key, sum, rest }) => [...key, sum, ...rest])
      if (tx.engine === 'sqlite') await tx.runEach(add, rows.map(rowOf))
      else
        await tx.run(
          add,
          Object.fromEntries(names.map((name, column) => [name, rows.map((row) => row[column]!)])),
        )
      const lessened = sums.filter(({ sum }) => sum < 0)
      if (less)
        await tx.runEach(
          less,
          lessened.map(({ key }) => rowOf(key)),
        )
    },
  }
}

/** Collects the additions of the writes in a commit until `write` flushes them. */
export function openTotals(tx: () => Writer): Totals {
  /** The unflushed sums of earlier writes in this commit, and those of the current write. */
  let before: Sums = new Map()
  let own: Sums = new Map()
  /** The current write already flushed the earlier sums. If it is rolled back, flush them again. */
  let written = false

  function begin(): void {
    if (written) before = new Map()
    for (const sum of own.values()) addTo(before, sum)
    own = new Map()
    written = false
  }

  return {
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
      const sorted = [...sums.keys()].sort().map((name) => sums.get(name)!)
      await writeAll(tx(), sorted)
    },
  }
}

function addTo(sums: Sums, more: Added): void {
  const { order, kind } = more.total
  const name = `${order} ${more.key.join(' ')} ${kind}`
  const found = sums.get(name)
  if (found === undefined) sums.set(name, { ...more })
  else {
    found.sum += more.sum
    found.rest = more.rest
  }
}

/** Writes the sums in this order; neighbours of one kind go together. */
async function writeAll(tx: Writer, sums: readonly Added[]): Promise<void> {
  const changed = sums.filter(({ sum }) => sum !== 0)
  for (let from = 0, until = 0; from < changed.length; from = until) {
    const { total } = changed[from]!
    while (changed[until]?.total === total) until++
    await total.write(tx, changed.slice(from, until))
  }
}
