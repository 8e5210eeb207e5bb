import { DatabaseSync } from 'node:sqlite'
import { isMainThread, Worker } from 'node:worker_threads'

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

/** Table by table, so that none holds a snapshot for long. */
function lookThrough(): void {
  const connection = new DatabaseSync(process.argv[2]!, { readOnly: true, timeout: 5_000 })
  const tables = connection
    .prepare(
      `select name from sqlite_schema where type = 'table' and sql not like 'create virtual%' and rootpage > 0`,
    )
    .all() as { name: string }[]
  for (const { name } of tables) {
    const [row] = connection.prepare(`pragma quick_check("${name}")`).all() as { quick_check: string }[]
    if (row?.quick_check === 'ok') continue
    process.stdout.write(`${row?.quick_check}\n`)
    break
  }
}
