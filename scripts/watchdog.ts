import { writeSync } from 'node:fs'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/**
 * Ends this process when a test file takes too long. Node's own `--test-timeout` fails a test that takes too long, but
 * waits for ever for a process that a timer or a socket keeps open. It runs in its own thread, because a file may also
 * block its event loop.
 */
const KILL_AFTER_MS = 2_000

/** Returns a function to be called at the start of each file: it has as long as given from then on. */
export function startWatchdog(within_ms: number): (file: string) => void {
  const thread = new Worker(import.meta.filename, { workerData: { within_ms }, execArgv: [] })
  thread.unref()
  return (file) => thread.postMessage(file)
}

const watched = isMainThread ? undefined : (workerData as { within_ms?: number } | null)

if (watched?.within_ms !== undefined) {
  const { within_ms } = watched
  let ending: NodeJS.Timeout | undefined
  parentPort!.on('message', (file: string) => {
    clearTimeout(ending)
    ending = setTimeout(end, within_ms, file, within_ms)
  })
}

function end(file: string, within_ms: number): void {
  const left_open = 'a file before it in its process may have left something open'
  writeSync(2, `${file} did not end within ${within_ms / 1_000} s; ${left_open}\n`)
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), KILL_AFTER_MS)
}
