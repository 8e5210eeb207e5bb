import { type Engine, perEngine, type Statement, sql, type Value } from './sql.ts'

/**
 * A kind of row that nearly every work adds to. The works that share a commit write the sum of what they added, once.
 * The columns are those of its key, then the sum, then the rest.
 */
export type Total = {
  /** Where it comes among the kinds when a commit writes them: see `Totals.write`. */
  readonly order: number
  /** Tells apart the kinds of the same order. */
  readonly kind: string
  write(tx: Writer, sums: readonly Sum[]): Promise<void>
}

/** What of a transaction writes the sums. */
export type Writer = {
  readonly engine: Engine
  run(statement: Statement<never, Row>, values: Row): Promise<void>
  runEach(statement: Statement<never, Row>, list: readonly Row[]): Promise<void>
}

type Sum = { key: readonly Value[]; sum: number; rest: readonly Value[] }
type Added = Sum & { total: Total }
type Sums = Map<string, Added>

/** What the works of one commit add up. */
export type Totals = {
  /** Before the first work of a transaction: forgets what is left of an earlier one. */
  clear(): void
  /** Before each work. */
  begin(): void
  /** The work is undone, and what it added with it. */
  undo(): void
  add(sum: Added): void
  /** Writes the sums in the order of their kinds and keys: the same at every server, so that no two wait for each other. */
  write(): Promise<void>
}

type Row = Record<string, Value | readonly Value[]>

/** Declares a kind of row that works add to. */
export function total(kind: {
  order: number
  kind?: string
  /** The names and types of the columns: key, sum and rest. */
  columns: Readonly<Record<string, 'bigint' | 'text'>>
  /** Adds to the rows of a select of these columns, and makes those that do not exist. */
  add(rows: string): string
  /** The same for one row, if that is shorter: SQLite adds to each by itself. */
  one?: string
  /** Runs with the key of a sum below 0. */
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

/** Gathers what the works of a commit add, until `write`. */
export function openTotals(tx: () => Writer): Totals {
  /** Sums of the works before this one that are not written yet, and those of this one. */
  let before: Sums = new Map()
  let own: Sums = new Map()
  /** This work already wrote the earlier sums; if it is undone, they are written again. */
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

/** In this order; neighbours of one kind are written together. */
async function writeAll(tx: Writer, sums: readonly Added[]): Promise<void> {
  const changed = sums.filter(({ sum }) => sum !== 0)
  for (let from = 0, until = 0; from < changed.length; from = until) {
    const { total } = changed[from]!
    while (changed[until]?.total === total) until++
    await total.write(tx, changed.slice(from, until))
  }
}
