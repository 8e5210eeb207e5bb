import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { WRITING } from '#server/database/dialect.ts'
import { postgresTx } from '@sdd/storage/postgres/tx.ts'
import type { RowWrites } from '@sdd/storage/postgres/rows.ts'
import type { Totals } from '@sdd/storage/totals.ts'
import type { Schema, Tx } from '#server/database/schema.ts'
import type { Result } from './connection.ts'

export type Statement = {
  /** With `$1` for each value. */
  text: string
  /** Under which the session keeps it prepared; none where there are too many of them. */
  name: string | undefined
  /** It changes rows and tells nothing of them. */
  silent: boolean
}

export type Run = (statement: Statement, values: readonly unknown[]) => Promise<Pick<Result, 'rows'>>

/** Lists without `isIn` make texts of their own, one a length: without a bound those would add up. */
const MOST_NAMES = 1_000

/**
 * Kysely over whatever runs statements: a pool for what is read, one session in a transaction for what is written. It
 * knows no transactions of its own, and how many rows were changed only where they are returned.
 */
export function kyselyOverPostgres(
  run: Run,
  options: { writing: boolean; totals?: () => Totals; rowWrites?: () => RowWrites },
): Tx {
  const { writing } = options
  const known = new Map<string, Statement>()
  let names = 0

  function statementOf(written: string): Statement {
    const found = known.get(written)
    if (found) return found
    if (known.size >= MOST_NAMES)
      return { text: numbered(written), name: undefined, silent: isSilent(written) }
    const statement = { text: numbered(written), name: `k${++names}`, silent: isSilent(written) }
    known.set(written, statement)
    return statement
  }

  const connection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows } = await run(statementOf(sql), parameters)
      return { rows: rows as Row[] }
    },
    streamQuery: () => {
      throw new Error('Nothing is streamed: read it in slices')
    },
  } as unknown as DatabaseConnection

  return Object.assign(
    new Kysely<Schema>({
      dialect: {
        createAdapter: () => Object.assign(new PostgresAdapter(), writing ? { [WRITING]: true } : {}),
        createDriver: () => driverOver(connection),
        createIntrospector: (db) => new PostgresIntrospector(db),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }),
    postgresTx<Schema>(run, options),
  )
}

/** Texts written by hand have `?` for each value. */
function numbered(text: string): string {
  let count = 0
  return text.includes('$1') ? text : text.replaceAll('?', () => `$${++count}`)
}

function isSilent(text: string): boolean {
  return /^\s*(with\b[^]*\)\s+)?(insert|update|delete)\b/i.test(text) && !/\breturning\b/i.test(text)
}

function driverOver(connection: DatabaseConnection): Driver {
  const none = () => Promise.reject(new Error('Transactions are those of Database.write'))
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: none,
    commitTransaction: none,
    rollbackTransaction: none,
    destroy: async () => {},
  }
}
