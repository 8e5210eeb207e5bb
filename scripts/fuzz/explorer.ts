import { parentPort, workerData } from 'node:worker_threads'
import { explore } from './explore.ts'
import { corpusOf } from './target.ts'
import { findTarget } from './targets.ts'

/**
 * Explores one target on a thread of its own. The input under way is in memory that the main thread sees, so that one
 * which never comes back, or takes all memory, is known all the same.
 */
export type Order = { name: string; seed: number; until_ms: number; shared: SharedArrayBuffer }

const { name, seed, until_ms, shared } = workerData as Order
const length = new Int32Array(shared, 0, 1)
const bytes = new Uint8Array(shared, 4)

function starting(input: Buffer): void {
  bytes.set(input.subarray(0, bytes.length))
  length[0] = Math.min(input.length, bytes.length)
}

const target = findTarget(name)
for await (const progress of explore(target, { seed, until_ms, earlier: corpusOf(target), starting })) {
  const findings = progress.findings.map(({ input, error }) => ({
    input,
    why: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }))
  parentPort!.postMessage({ ...progress, findings })
}
