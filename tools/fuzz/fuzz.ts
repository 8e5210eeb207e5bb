import { relative } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ROOT } from '../../scripts/run.ts'
import type { Progress } from './explore.ts'
import { INPUT_AT, type Order } from './order.ts'
import { keepFinding, keepInCorpus, type Target } from './target.ts'

type Said = Progress & { findings: { input: Uint8Array; why: string }[]; fresh: Uint8Array[] }

const MOST_BYTES = 1024 * 1024
/** After this long without progress, the current input counts as endless. */
const SILENCE_MS = 60_000
const SAY_EVERY_MS = 10_000
/** An input is 64 KiB at most: if one needs more memory than this, memory is unbounded. */
const MOST_HEAP_MIB = 512

/** Explores a target for this long and prints its progress; resolves to the number of stored findings. */
export async function fuzz(
  target: Target,
  { seconds, seed }: { seconds: number; seed: number },
): Promise<number> {
  const shared = new SharedArrayBuffer(INPUT_AT + MOST_BYTES)
  const began_ms = Date.now()
  const order: Order = { name: target.name, seed, until_ms: began_ms + seconds * 1_000, shared }
  const worker = new Worker(new URL('./explorer.ts', import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MIB },
  })
  let found = 0
  let last: Progress = { runs: 0, blocks: 0, corpus: 0 }
  let said_ms = began_ms

  const note = (input: Uint8Array, why: string) => {
    found++
    const path = relative(ROOT, keepFinding(target, Buffer.from(input)))
    console.log(
      `${target.name}: FOUND ${path} (${input.length} bytes)\n  ${why.split('\n').slice(0, 6).join('\n  ')}`,
    )
  }
  const say = () => {
    const secs = (Date.now() - began_ms) / 1_000
    const { runs, blocks, corpus } = last
    const rate = Math.round(runs / secs)
    console.log(
      `${target.name}: ${Math.round(secs)} s, ${runs} runs, ${rate}/s, ${blocks} blocks, ${corpus} inputs, ${found} findings`,
    )
  }

  await new Promise<void>((resolve) => {
    const begun = new Int32Array(shared, 4, 1)
    let known = 0
    const watch = setInterval(() => {
      if (begun[0] === known) lost(`no end within ${SILENCE_MS} ms`)
      known = begun[0]!
    }, SILENCE_MS)
    const lost = (why: string) => {
      const [length = 0] = new Int32Array(shared, 0, 1)
      note(new Uint8Array(shared, INPUT_AT, length).slice(), why)
      void worker.terminate()
    }
    worker.on('message', ({ findings, fresh, ...progress }: Said) => {
      last = progress
      for (const { input, why } of findings) note(input, why)
      for (const input of fresh) keepInCorpus(target, Buffer.from(input))
      if (Date.now() - said_ms < SAY_EVERY_MS) return
      said_ms = Date.now()
      say()
    })
    worker.on('error', (error: Error) => lost(error.stack ?? error.message))
    worker.on('exit', () => {
      clearInterval(watch)
      resolve()
    })
  })
  say()
  return found
}
