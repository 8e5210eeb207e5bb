import { type ChildProcess, execFile } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

/** A table grows while it is looked at: its indexes, which come after it, have more entries then. */
const EXPECTED = /^wrong # of entries in index /

/** By turns: at the speed of the disk it would keep others waiting for minutes, some of them for 50 ms and more. */
const WORKS_MS = 25
const RESTS_MS = 75

/** What looks: at the file as it is, or by a snapshot. */
const ways = {
  'as it is': (path: string) => {
    const file = `${pathToFileURL(path).href}?immutable=1`
    return tablesOf(file)
      .map((table) => faultOf(file, table))
      .find((fault) => fault !== undefined)
  },
  'by snapshot': (path: string) => faultOf(path),
}

/**
 * A program of its own, as it takes as long as the file is large: reads every page of the database that its argument
 * names, while a server works on it, and prints what is wrong. It ends with its stdin, which is a pipe from that server:
 * one that is killed leaves nothing behind that reads on.
 */
const [path, way] = process.argv.slice(2) as [string, (keyof typeof ways)?]
if (way === undefined) await oversee()
else process.stdout.write(ways[way](path) ?? '')

/**
 * Looks at the file as it is, without the log and without a lock: with a snapshot, nothing could be brought from the log
 * into the file meanwhile, and in some minutes the log would grow by gigabytes. What is written at that moment may look
 * wrong, so what seems to be damage is looked at again, by a snapshot, without rests.
 */
async function oversee(): Promise<void> {
  let looking: ChildProcess | undefined
  process.on('exit', () => looking?.kill('SIGKILL'))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(1))
  process.stdin.on('close', () => process.exit(1)).resume()

  /** In a process that can be stopped in the middle of SQLite. */
  const look = (way: keyof typeof ways) =>
    new Promise<{ failed: boolean; said: string; why: string }>((resolve) => {
      looking = execFile(process.execPath, [import.meta.filename, path, way], (error, said, why) =>
        resolve({ failed: error !== null, said, why }),
      )
      if (way === 'as it is') restNowAndThen(looking)
    })

  const first = await look('as it is')
  if (!first.failed && first.said === '') process.exit()
  const { failed, said, why } = await look('by snapshot')
  process.stderr.write(why)
  process.stdout.write(said, () => process.exit(failed ? 1 : 0))
}

function restNowAndThen(child: ChildProcess): void {
  let rests = false
  let timer = setTimeout(change, WORKS_MS)
  child.on('exit', () => clearTimeout(timer))

  function change(): void {
    rests = !rests
    child.kill(rests ? 'SIGSTOP' : 'SIGCONT')
    timer = setTimeout(change, rests ? RESTS_MS : WORKS_MS)
  }
}

function tablesOf(file: string): string[] {
  return reading(file, (connection) =>
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
