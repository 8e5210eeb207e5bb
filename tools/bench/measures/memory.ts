import { setTimeout as sleep } from 'node:timers/promises'
import { type Measure, openResult } from '../bench.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { slope, spreadOf } from '../statistics.ts'
import { atRate, startScene, untilCounted } from '../work.ts'

const PER_S = 1_000
/** Tasks per request. */
const BATCH = 50

/** The memory of a server under an even load for some minutes, and its growth. */
export const memory: Measure = {
  ids: ['memory'],
  async run(bench) {
    const server = await startBenchServer(await bench.home('memory'))
    const scene = await startScene(server, await gainAccess(server), bench)
    const sheet = openResult('memory')
    const for_ms = bench.minutes * 60_000
    const samples: number[] = []
    const sampling = setInterval(() => samples.push(server.child.resident_mib()), 1_000)
    const costs = await bench.costs(server)
    const began = performance.now()
    const total = Math.round((PER_S / BATCH) * (for_ms / 1_000)) * BATCH

    await sheet.watched(async () => {
      await atRate(PER_S / BATCH, { for_ms }, () => scene.handBatch(BATCH))
      await untilCounted(scene.delivered, total)
    })
    const took_s = (performance.now() - began) / 1_000
    clearInterval(sampling)
    // The first half is warm-up.
    const later = samples.slice(Math.floor(samples.length / 2))
    sheet.value(spreadOf(samples).max)
    sheet.figure('MiB, median of the second half', spreadOf(later).median)
    sheet.figure('MiB a minute that it grew by in the second half', slope(later) * 60)
    sheet.figure('messages/s', total / took_s)
    await costs(sheet, 'message', total)
    if (took_s > for_ms / 950)
      sheet.note(`it fell behind: it took ${Math.round(took_s - for_ms / 1_000)} s longer`)
    for (const mib of samples.filter((_, at) => at % Math.ceil(samples.length / 120) === 0))
      sheet.figure('MiB in the course of it', mib)
    await sleep(100)
    await scene.close()
    await bench.close(server)
    return [sheet.end()]
  },
}
