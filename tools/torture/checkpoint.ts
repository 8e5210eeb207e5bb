import { closeSync, openSync, readSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/**
 * The progress of checkpoints, from the wal-index in shared memory (https://sqlite.org/walformat.html, 2.3.1): frames
 * already copied into the database, and frames that a checkpoint started to copy.
 */
type Progress = { backfilled: number; attempted: number }
type Watched = { shm_path: string; pid: number }

/** After two copies of the header, 48 bytes each; read marks and locks are between the two numbers. */
const BACKFILLED_AT = 96
const ATTEMPTED_AT = 128
const LOOK_EVERY_MS = 0.2

/**
 * Kills a server's process in the middle of its next checkpoint: once one has started and not finished. It uses its own
 * thread, because a checkpoint takes milliseconds. Call `stop` once the process is dead; it returns whether the kill
 * hit a checkpoint, judging by the wal-index.
 */
export function killAtCheckpoint(watched: Watched): { stop(): Promise<boolean> } {
  const worker = new Worker(import.meta.filename, { workerData: watched, execArgv: [] })
  let set_out: number | undefined
  worker.on('message', (attempted: number) => (set_out = attempted))
  return {
    async stop() {
      // The thread's last message arrives in a later turn.
      if (set_out === undefined) await sleep(20)
      await worker.terminate()
      if (set_out === undefined) return false
      const { attempted, backfilled } = readOnce(watched.shm_path)
      return attempted === set_out && backfilled < attempted
    },
  }
}

function readOnce(path: string): Progress {
  const file = openSync(path, 'r')
  try {
    return readProgress(file)
  } finally {
    closeSync(file)
  }
}

function readProgress(file: number): Progress {
  const bytes = Buffer.alloc(ATTEMPTED_AT + 4)
  readSync(file, bytes, 0, bytes.length, 0)
  // In the machine's byte order, which is little-endian wherever Node runs today.
  return { backfilled: bytes.readUInt32LE(BACKFILLED_AT), attempted: bytes.readUInt32LE(ATTEMPTED_AT) }
}

function watch({ shm_path, pid }: Watched): void {
  const file = openSync(shm_path, 'r')
  const pause = new Int32Array(new SharedArrayBuffer(4))
  // After a crash the wal-index is rebuilt, and then says that a checkpoint of the whole log was started.
  const { attempted: before } = readProgress(file)
  for (;;) {
    const { attempted, backfilled } = readProgress(file)
    if (attempted !== before && attempted > backfilled) {
      process.kill(pid, 'SIGKILL')
      parentPort?.postMessage(attempted)
      return
    }
    Atomics.wait(pause, 0, 0, LOOK_EVERY_MS)
  }
}

if (!isMainThread) watch(workerData as Watched)
