import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

/**
 * Imported ahead of each test file by scripts/test.ts: ends the file's process after TEST_FILE_TIMEOUT_MS. Node's own
 * `--test-timeout` fails a test that takes too long, but waits for ever for a file that a timer or a socket keeps open.
 * It runs in its own thread, because a file may also block its event loop.
 */
type Watched = { file: string; after_ms: number }

const after_ms = Number(process.env['TEST_FILE_TIMEOUT_MS'])

const watched = isMainThread ? undefined : (workerData as Partial<Watched> | null)

if (watched?.after_ms !== undefined) {
  await sleep(watched.after_ms)
  writeSync(2, `${watched.file} did not end within ${watched.after_ms / 1_000} s\n`)
  process.kill(process.pid, 'SIGTERM')
  await sleep(2_000)
  process.kill(process.pid, 'SIGKILL')
} else if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined && after_ms > 0) {
  // Removes the variable, or the tests' children would be watched as well.
  delete process.env['TEST_FILE_TIMEOUT_MS']
  const own: Watched = { file: process.argv[1] ?? 'A test file', after_ms }
  new Worker(import.meta.filename, { workerData: own, execArgv: [] }).unref()
}
