import type { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { patientSettingsOf, queryConfig } from '@sdd/storage/postgres/connection.ts'
import { openRowWrites } from '@sdd/storage/postgres/rows.ts'
import { postgresTx, type Run } from '@sdd/storage/postgres/tx.ts'
import { BY_KEYS } from '@sdd/storage/postgres/write-session.ts'
import { sqliteTx } from '@sdd/storage/sqlite/tx.ts'
import { openTotals, type Writer } from '@sdd/storage/totals.ts'
import type { Schema, Tx } from '#server/database/schema.ts'

/** The way in which a statement reads one table. */
export type Step = {
  table: string
  /** `<table>_pkey` is the primary key on both engines. Undefined if the whole table is read. */
  index: string | undefined
  /** Whether it reads the whole index. */
  whole: boolean
  /** How many rows it has read, those that it dropped included. Unknown on SQLite. */
  rows: number | undefined
}

/** The plan of one statement. */
export type Plan = { text: string; steps: Step[] }

export type Plans = {
  /** Runs this, undoes it, and returns the plans of all statements that it ran. */
  of(work: (tx: Tx) => Promise<unknown>): Promise<Plan[]>
  /** Tables with so few rows that reading all of them costs nothing. */
  tiny(): Promise<Set<string>>
  close(): Promise<void>
}

const FEW_ROWS = 100
/** After five runs of a statement, PostgreSQL may keep a plan for average values. The writing session does so at once. */
const READ_RUNS = 7

/** A session like those of the server: the writing one, or one of those that read. */
export async function openPostgresPlans(url: string, { writing }: { writing: boolean }): Promise<Plans> {
  const { primary, ...settings } = patientSettingsOf(url)
  const client = new pg.Client({
    ...settings,
    connectionString: await primary.find(),
    pipeline: true,
  } as pg.ClientConfig)
  await client.connect()
  if (writing) await client.query(BY_KEYS)
  await client.query(EXPLAINED)
  let texts: string[] = []
  client.on('notice', ({ message }) => {
    const plan = planIn(message ?? '')
    if (plan !== undefined) texts.push(plan)
  })
  const rootOf = await rootsOf(client)
  const runs = writing ? 1 : READ_RUNS
  const ask = (text: string, values: readonly unknown[], name?: string) =>
    client.query(queryConfig(text, values, name))
  const rowWrites = openRowWrites((text, values, name) => void ask(text, values, name))
  const run: Run = ({ text, name }, values) => {
    rowWrites.send()
    return ask(text, values, name)
  }
  const totals = openTotals(() => tx as unknown as Writer)
  const together = { totals: () => totals, rowWrites: () => rowWrites }
  const tx: Tx = postgresTx<Schema>(run, { writing, ...(writing && together) })
  return {
    async of(work) {
      texts = []
      await client.query('begin')
      totals.clear()
      try {
        for (let run = 1; run < runs; run++) await work(tx)
        await client.query(UNTIL_EXPLAINED)
        texts = []
        await work(tx)
        await totals.write()
        rowWrites.send()
      } finally {
        await client.query('rollback')
      }
      return texts.map((text) => ({ text, steps: stepsOfPostgres(text, rootOf) }))
    },
    async tiny() {
      const { rows } = await client.query<{ name: string }>(
        `select relname as name from pg_class where relkind = 'r' and reltuples <= ${FEW_ROWS}`,
      )
      return new Set(rows.map(({ name }) => name))
    },
    close: () => client.end(),
  }
}

/** Every statement is followed by its plan, as a notice to the client. */
const EXPLAINED = `
  load 'auto_explain';
  set client_min_messages = log;
  select set_config('auto_explain.log_parameter_max_length', '0', false) from pg_settings
    where name = 'auto_explain.log_parameter_max_length';
  set auto_explain.log_analyze = on;
  set auto_explain.log_buffers = on;
  set auto_explain.log_wal = on;
  set auto_explain.log_min_duration = 0`

/** PostgreSQL sends the plan of a statement when it begins the next one. */
const UNTIL_EXPLAINED = 'savepoint explained'

function planIn(notice: string): string | undefined {
  if (!notice.startsWith('duration:')) return undefined
  const lines = notice.split('\n')
  return lines.slice(lines.findIndex((line) => line.includes('(cost='))).join('\n')
}

/** Names indexes of partitions after those of their tables. */
async function rootsOf(client: pg.Client): Promise<(index: string) => string> {
  const { rows } = await client.query<{ name: string; root: string }>(
    `select relname as name, pg_partition_root(oid)::regclass::text as root from pg_class
      where relkind = 'i' and relispartition`,
  )
  const roots = new Map(rows.map(({ name, root }) => [name, root]))
  return (index) => roots.get(index) ?? index.replace(/_\d+(?=_by_guid$)/, '')
}

const POSTGRES_STEP =
  /(?:(?:Seq|Index|Index Only) Scan(?: Backward)?|Bitmap (?:Heap|Index) Scan)(?: using (\S+))? on (\S+).*?\(cost=.*?\) \((?:actual.* rows=([\d.]+) loops=(\d+)|never executed)\)/

function stepsOfPostgres(text: string, rootOf: (index: string) => string): Step[] {
  const nodes = text.split(/\n(?=.*\(cost=)/)
  return nodes.flatMap((node): Step[] => {
    const found = POSTGRES_STEP.exec(node)
    if (found === null || node.includes('Bitmap Heap Scan')) return []
    const [, index, name, rows = '0', loops = '0'] = found
    const removed = Array.from(node.matchAll(/Rows Removed by .*: (\d+)/g), ([, rows]) => Number(rows))
    const read = (Number(rows) + removed.reduce((sum, rows) => sum + rows, 0)) * Number(loops)
    const used = node.includes('Bitmap Index Scan') ? name! : index
    return [
      {
        table: name!,
        index: used && rootOf(used),
        whole: !node.includes('Index Cond:'),
        rows: read,
      },
    ]
  })
}

/** The server never analyzes its file, so this one must not be analyzed either. */
export function openSqlitePlans(connection: DatabaseSync): Plans {
  let plans: Plan[] = []
  const tables = connection
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like '%\\_search%' escape '\\'`,
    )
    .all()
    .map(({ name }) => String(name))
  const recording = {
    prepare(text: string) {
      const lines = connection.prepare(`explain query plan ${text}`).all()
      const plan = lines.map(({ detail }) => String(detail)).join('\n')
      plans.push({ text: plan, steps: stepsOfSqlite(plan, tables) })
      return connection.prepare(text)
    },
  } as DatabaseSync
  return {
    async of(work) {
      plans = []
      connection.exec('begin')
      try {
        await work(sqliteTx<Schema>(recording))
      } finally {
        connection.exec('rollback')
      }
      return plans
    },
    async tiny() {
      const rowsOf = connection.prepare.bind(connection)
      return new Set(
        tables.filter(
          (name) => Number(rowsOf(`select count(*) as count from ${name}`).get()!['count']) <= FEW_ROWS,
        ),
      )
    },
    close: async () => connection.close(),
  }
}

const SQLITE_STEP =
  /^(SEARCH|SCAN) (\w+)(?: USING (?:COVERING |AUTOMATIC .*)?(?:INDEX (\w+)|(?:INTEGER )?PRIMARY KEY))?/

function stepsOfSqlite(text: string, tables: readonly string[]): Step[] {
  return text.split('\n').flatMap((line): Step[] => {
    const found = SQLITE_STEP.exec(line)
    if (found === null || !tables.includes(found[2]!)) return []
    const [, way, table, name] = found
    const index = name?.replace(/^sqlite_autoindex_(\w+)_1$/, '$1_pkey')
    // The newest or oldest id is found by the primary key, too.
    const byKey = / USING .*PRIMARY KEY/.test(line) || line === `SEARCH ${table}`
    return [{ table: table!, index: byKey ? `${table}_pkey` : index, whole: way === 'SCAN', rows: undefined }]
  })
}
