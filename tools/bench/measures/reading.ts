import { setTimeout as sleep } from 'node:timers/promises'
import type { ResultSheet } from '../bench.ts'
import type { Reader } from '../reader.ts'
import { quantile } from '../statistics.ts'
import { atRate, type Traffic, untilStill } from '../work.ts'

/** Tasks per request of the background traffic. */
const BATCH = 50
/** The longest wait for an answer. */
const PATIENCE_MS = 20_000
/** A round that takes this long ends with fewer samples. */
const ROUND_MS = 30_000

/**
 * A user reads one page after another while this many messages a second flow. Notes the 99th percentile of the times.
 */
export async function readWhileFlowing(
  { reader, traffic, sheet }: { reader: Reader; traffic: Traffic; sheet: ResultSheet },
  needs: {
    per_s: number
    /** Messages flow this long before timing starts, since a fresh process does much for the first time. */
    flow_ms: number
    samples: number
    /** The pages of one sample. */
    paths(): string[]
  },
): Promise<void> {
  const { per_s, flow_ms, samples, paths } = needs
  const times: number[] = []
  await untilStill(traffic.delivered)
  let reads = true
  const flow = atRate(per_s / BATCH, { goesOn: () => reads, most: 8 }, () => traffic.handBatch(BATCH))
  for (const path of paths()) await reader.time(path)
  await sleep(flow_ms)
  const [began, before] = [performance.now(), traffic.delivered()]
  await sheet.watched(async () => {
    for (let sample = 0; sample < samples; sample++) {
      if (performance.now() - began > ROUND_MS) {
        sheet.note(`slow: a round ended after ${sample} of ${samples} samples of each kind`)
        break
      }
      for (const path of paths()) {
        const answer = reader.time(path)
        const took_ms = await Promise.race([answer, sleep(PATIENCE_MS)])
        times.push(took_ms ?? PATIENCE_MS)
        if (took_ms !== undefined) continue
        sheet.note(`given up after ${PATIENCE_MS / 1_000} s, which count as its time`)
        answer.catch(() => {})
        reader.close()
      }
    }
  })
  const took_s = (performance.now() - began) / 1_000
  sheet.value(quantile(times, 0.99))
  sheet.figure('p50 ms', quantile(times, 0.5))
  sheet.figure('messages/s meanwhile', (traffic.delivered() - before) / took_s)
  reads = false
  await flow
}
