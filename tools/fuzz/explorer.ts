import { parentPort, workerData } from 'node:worker_threads'
import { explore } from './explore.ts'
import { INPUT_AT, type Order } from './order.ts'
import { corpusOf } from './target.ts'
import { findTarget } from './targets.ts'

const { name, seed, until_ms, shared } = workerData as Order
const [length, begun] = [new Int32Array(shared, 0, 1), new Int32Array(shared, 4, 1)]
const bytes = new Uint8Array(shared, INPUT_AT)

function starting(input: Buffer): void {
  bytes.set(input.subarray(0, bytes.length))
  length[0] = Math.min(input.length, bytes.length)
  begun[0]!++
}

const target = findTarget(name)
for await (const progress of explore(target, { seed, until_ms, earlier: corpusOf(target), starting })) {
  const findings = progress.findings.map(({ input, error }) => ({
    input,
    why: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }))
  parentPort!.postMessage({ ...progress, findings })
}
