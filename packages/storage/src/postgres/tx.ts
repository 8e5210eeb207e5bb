import type { Compiled } from '#storage/sql.ts'
import type { Totals } from '#storage/totals.ts'
import { type Execute, makeTx, type RowWriter, type Tx } from '#storage/tx.ts'
import type { Connection } from './connection.ts'
import { isUnreachable } from './reach.ts'
import { openRowWrites, type RowWrites } from './rows.ts'

/** A text, and the name under which the session keeps it prepared, if any. */
export type Asked = { text: string; name: string | undefined; silent: boolean }

export type Run = (asked: Asked, values: readonly unknown[]) => Promise<{ rows: unknown[] }>

/** The most statements that a session keeps prepared. */
const MOST_NAMES = 2_000

/** A handle on anything that runs statements: a pool for reading, or a session in a transaction for writing. */
export function postgresTx<Tables>(
  run: Run,
  { writing, totals, rowWrites }: { writing: boolean; totals?: () => Totals; rowWrites?: () => RowWrites },
): Tx<Tables> {
  const known = new WeakMap<Compiled, Asked>()
  let names = 0

  function askedOf(compiled: Compiled): Asked {
    let asked = known.get(compiled)
    if (asked === undefined) {
      const { text, silent, plannedEachTime } = compiled
      // Text without values may contain several statements, which cannot be prepared.
      const name =
        compiled.values.length > 0 && !plannedEachTime && names < MOST_NAMES ? `s${++names}` : undefined
      asked = { text, name, silent }
      known.set(compiled, asked)
    }
    return asked
  }

  const execute: Execute = async (compiled, values) => (await run(askedOf(compiled), values)).rows
  return makeTx({
    place: { engine: 'postgres', writing },
    execute,
    rowWriter: rowWrites ? () => gathered(rowWrites) : written(run),
    ...(totals && { totals }),
  })
}

/** A handle for a caller that has its own session and begins and commits its transactions itself. */
export function handleOver<Tables>(session: Connection): Tx<Tables> {
  return postgresTx(({ text }, values) => session.send(text, values), { writing: false })
}

/** Runs `work` in a transaction of this session. `tx` is a handle over it. */
export async function transact<Tables, T>(
  session: Connection,
  tx: Tx<Tables>,
  work: (tx: Tx<Tables>) => Promise<T>,
): Promise<T> {
  await session.send('begin')
  try {
    const done = await work(tx)
    await session.send('commit')
    return done
  } catch (error) {
    // A session that is gone answers nothing else either.
    if (!isUnreachable(error)) await session.send('rollback').catch(() => {})
    throw error
  }
}

function gathered(rowWrites: () => RowWrites): RowWriter {
  return {
    insert: (table, columns, rows) => rowWrites().insert(table, columns, rows),
    put: (table, key, columns) => rowWrites().put(table, key, columns),
    update: (table, key, change) => rowWrites().set(table, key, change),
    delete: (table, key) => rowWrites().delete(table, key),
  }
}

/** Writes rows immediately, for a handle without a buffer. */
function written(run: Run): () => RowWriter {
  return () => {
    const answers: Promise<unknown>[] = []
    const writes = openRowWrites((text, values) => {
      answers.push(run({ text, name: undefined, silent: true }, values))
    })
    const send = async (): Promise<void> => {
      writes.send()
      await Promise.all(answers.splice(0))
    }
    const own = gathered(() => writes)
    return {
      insert: async (...rows) => (await own.insert(...rows), send()),
      put: async (...row) => (await own.put(...row), send()),
      update: async (...row) => (await own.update(...row), send()),
      delete: async (...row) => (await own.delete(...row), send()),
    }
  }
}
