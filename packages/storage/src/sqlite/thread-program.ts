import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { WorkerRead } from '#storage/worker-read.ts'
import type { Tx } from '#storage/tx.ts'
import { addTextFunctions } from './text-functions.ts'
import type { Answered, Asked, Read, Statements, Work } from './thread-protocol.ts'

type Prepared = { statement: StatementSync; columns: string[] }

const MAX_PREPARED = 200
const { path } = workerData as { path: string }
const prepared = new Map<string, Prepared>()
const connection = new DatabaseSync(path)
connection.exec(`
  pragma busy_timeout = 5000;
  pragma synchronous = normal;
  pragma wal_autocheckpoint = 0;
  pragma temp_store = memory;
`)
addTextFunctions(connection)

parentPort!.on('message', (asked: Asked) => void answer(asked))

async function answer(asked: Asked): Promise<void> {
  const { id } = asked
  try {
    const found = 'texts' in asked ? read(asked) : { answer: await work(asked) }
    parentPort!.postMessage({ id, ...found } satisfies Answered, handedOver(found))
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    parentPort!.postMessage({ id, error: message, errcode } satisfies Answered)
  }
}

/** The buffers to transfer instead of copying. */
function handedOver(found: object): ArrayBuffer[] {
  return 'answer' in found && found.answer instanceof Uint8Array ? [found.answer.buffer as ArrayBuffer] : []
}

let tx: Tx<never> | undefined

/** Imported on demand: a thread that only runs statements needs less memory. */
async function work({ module, given }: Work): Promise<unknown> {
  const { sqliteTx } = await import('./tx.ts')
  const { workerRead } = (await import(module)) as { workerRead: WorkerRead<never, unknown, unknown> }
  return workerRead.run((tx ??= sqliteTx(connection)), given)
}

function read({ texts, values }: Statements): Read {
  try {
    for (const text of texts.slice(0, -1)) connection.exec(text)
    const { statement, columns } = prepare(texts.at(-1)!)
    return { columns, rows: statement.all(...(values as SQLInputValue[])) as unknown as unknown[][] }
  } catch (error) {
    if (connection.isTransaction) connection.exec('rollback')
    throw error
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
