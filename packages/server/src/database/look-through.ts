import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { isMainThread, Worker } from 'node:worker_threads'

/** A table grows while it is looked at: its indexes, which come after it, have more entries then. */
const EXPECTED = /^wrong # of entries in index /

/**
 * A program of its own, as it takes as long as the file is large: reads every page of the database that its argument
 * names, while a server works on it, and prints what is wrong. It ends with its stdin, which is a pipe from that server:
 * one that is killed leaves nothing behind that reads on.
 */
if (isMainThread) {
  process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume()
  const worker = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
  worker.on('error', (error) => {
    process.stderr.write(`${String(error)}\n`)
    process.exitCode = 1
  })
  worker.on('exit', () => process.stdin.removeAllListeners('close').destroy())
} else lookThrough()

/**
 * Looks at the file as it is, without the log and without a lock: with a snapshot, nothing could be brought from the log
 * into the file meanwhile, and in some minutes the log would grow by gigabytes. What is written at that moment may look
 * wrong, so what seems to be damage is looked at again, by a snapshot.
 */
function lookThrough(): void {
  const path = process.argv[2]!
  if (seemsWhole(`${pathToFileURL(path).href}?immutable=1`)) return
  const fault = faultOf(path)
  if (fault !== undefined) process.stdout.write(`${fault}\n`)
}

function seemsWhole(file: string): boolean {
  try {
    return tablesOf(file).every((table) => faultOf(file, table) === undefined)
  } catch {
    return false
  }
}

function tablesOf(path: string): string[] {
  return reading(path, (connection) =>
    connection
      .prepare(
        `select name from sqlite_schema where type = 'table' and sql not like 'create virtual%' and rootpage > 0`,
      )
      .all()
      .map(({ name }) => String(name)),
  )
}

/** What is wrong with a table and its indexes, or with anything. */
function faultOf(path: string, table?: string): string | undefined {
  try {
    const of = table === undefined ? '' : `("${table}")`
    const rows = reading(path, (connection) => connection.prepare(`pragma quick_check${of}`).all())
    return rows.map((row) => String(row['quick_check'])).find((line) => line !== 'ok' && !EXPECTED.test(line))
  } catch (error) {
    // A page may be so damaged that looking fails.
    if (/malformed|not a database/.test((error as Error).message)) return (error as Error).message
    throw error
  }
}

/** By a connection of its own, which remembers nothing of what the file was like before. */
function reading<Found>(path: string, look: (connection: DatabaseSync) => Found): Found {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    return look(connection)
  } finally {
    connection.close()
  }
}
