import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import { sqliteThreadTx, sqliteTx } from '@sdd/storage/sqlite/tx.ts'
import type { Totals } from '@sdd/storage/totals.ts'
import { STATEMENTS } from './direct.ts'
import type { Schema, Tx } from './schema.ts'
import type { Thread } from './thread.ts'

type Told = (error: unknown) => unknown

/**
 * Kysely over Node's own SQLite. Statements are prepared once for each text: there are few texts, and the same ones
 * come all day. What a statement fails with goes through `told`.
 */
export function kyselyOver(
  connection: DatabaseSync,
  told: Told = (error) => error,
  totals?: () => Totals,
): Tx {
  const prepared = new Map<string, ReturnType<typeof asKyselyWants>>()

  function prepare(text: string) {
    let statement = prepared.get(text)
    if (statement === undefined) {
      if (prepared.size >= MAX_PREPARED) prepared.clear()
      statement = asKyselyWants(
        attempt(told, () => connection.prepare(text)),
        told,
      )
      prepared.set(text, statement)
    }
    return statement
  }

  const dialect = new SqliteDialect({ database: { close: () => connection.close(), prepare } })
  // Statements written by hand go past the builder.
  dialect.createAdapter = () => Object.assign(new SqliteAdapter(), { [STATEMENTS]: prepare })
  dialect.createQueryCompiler = () => new CompilerWithPlainLimits()
  return Object.assign(
    new Kysely<Schema>({ dialect }),
    sqliteTx<Schema>(connection, { translateError: told, ...(totals && { totals }) }),
  )
}

/** Kysely over another thread's connection, for reading alone. */
export function kyselyOverThread(thread: Pick<Thread, 'all'>, told: Told): Tx {
  const connection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      try {
        return { rows: (await thread.all(sql, parameters)) as Row[] }
      } catch (error) {
        throw told(error)
      }
    },
    streamQuery: () => {
      throw new Error('Nothing is streamed: read it in slices')
    },
  } as unknown as DatabaseConnection
  const none = () => Promise.reject(new Error('This handle is for reading'))
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: none,
    commitTransaction: none,
    rollbackTransaction: none,
    destroy: async () => {},
  }
  return Object.assign(
    new Kysely<Schema>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => driver,
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new CompilerWithPlainLimits(),
      },
    }),
    sqliteThreadTx<Schema>(thread.all, told),
  )
}

/**
 * SQLite looks at the value of a bound limit when it plans, and so compiles the statement anew each time that it runs:
 * five times what it takes. (A class, as the builder has no other way in.)
 */
class CompilerWithPlainLimits extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ')
    if (ValueNode.is(limit) && typeof limit.value === 'number') this.append(String(Math.trunc(limit.value)))
    else this.visitNode(limit)
  }
}

// Lists of ids make texts of their own, one a length: without a bound those would add up.
const MAX_PREPARED = 1_000

function asKyselyWants(statement: StatementSync, told: Told) {
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) =>
      attempt(told, () => statement.all(...(parameters as SQLInputValue[]))),
    run: (parameters: readonly unknown[]) =>
      attempt(told, () => statement.run(...(parameters as SQLInputValue[]))),
    *iterate(parameters: readonly unknown[]) {
      try {
        yield* statement.iterate(...(parameters as SQLInputValue[]))
      } catch (error) {
        throw told(error)
      }
    },
  }
}

function attempt<T>(told: Told, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw told(error)
  }
}
