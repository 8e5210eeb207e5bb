import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** What a thread of the database (see thread.ts) is asked: statements, of which the last may have values. */
export type Asked = { id: number; texts: readonly string[]; values: readonly unknown[] }
export type Read = { id: number; columns: string[]; rows: unknown[][] }
export type Answered = Read | { id: number; error: string; errcode: number | undefined }

type Prepared = { statement: StatementSync; columns: string[] }

const MAX_PREPARED = 200
const { path, cache_kib } = workerData as { path: string; cache_kib: number }
const prepared = new Map<string, Prepared>()
const connection = new DatabaseSync(path)
connection.exec(`
  pragma busy_timeout = 5000;
  pragma synchronous = normal;
  pragma wal_autocheckpoint = 0;
  pragma temp_store = memory;
  pragma cache_size = -${cache_kib};
`)

parentPort!.on('message', (asked: Asked) => parentPort!.postMessage(answer(asked)))

function answer({ id, texts, values }: Asked): Answered {
  try {
    for (const text of texts.slice(0, -1)) connection.exec(text)
    const { statement, columns } = prepare(texts.at(-1)!)
    return { id, columns, rows: statement.all(...(values as SQLInputValue[])) as unknown as unknown[][] }
  } catch (error) {
    if (connection.isTransaction) connection.exec('rollback')
    const { message, errcode } = error as Error & { errcode?: number }
    return { id, error: message, errcode }
  }
}

function prepare(text: string): Prepared {
  let known = prepared.get(text)
  if (known === undefined) {
    if (prepared.size >= MAX_PREPARED) prepared.clear()
    const statement = connection.prepare(text)
    statement.setReturnArrays(true)
    known = { statement, columns: statement.columns().map(({ name }) => name) }
    prepared.set(text, known)
  }
  return known
}
