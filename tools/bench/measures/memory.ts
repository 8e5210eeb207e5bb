import { setTimeout as sleep } from 'node:timers/promises'
import { type Measure, openResult, type ResultSheet } from '../bench.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { slope, spreadOf } from '../statistics.ts'
import { openTables, type Size, type Tables, WORK_TABLES } from '../tables.ts'
import { atRate, startScene, untilCounted } from '../work.ts'

const PER_S = 1_000
/** Tasks per request. */
const BATCH = 50
/** How often the tables of work are looked at, and the shortest time between two looks. */
const [LOOKS, LEAST_LOOK_MS] = [60, 500]

/** The memory of a server under an even load for some minutes, its growth, and the tables that must stay small. */
export const memory: Measure = {
  ids: ['memory'],
  async run(bench) {
    const home = await bench.home('memory')
    const server = await startBenchServer(home)
    const scene = await startScene(server, await gainAccess(server), bench)
    const sheet = openResult('memory')
    const for_ms = bench.minutes * 60_000
    const samples: number[] = []
    const sampling = setInterval(() => samples.push(server.child.resident_mib()), 1_000)
    const tables = await openTables(home)
    const look_ms = Math.max(LEAST_LOOK_MS, for_ms / LOOKS)
    const sizes = watchSizes(tables, look_ms)
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
    noteSizes(sheet, await sizes.stop(), look_ms)
    await tables.close()
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

/** Looks at the tables of work until it is stopped. */
function watchSizes(tables: Tables, every_ms: number) {
  const sizes: Size[] = []
  let looks = true
  const look = async () => void sizes.push(...(await tables.sizes(WORK_TABLES)))
  const looking = atRate(1_000 / every_ms, { goesOn: () => looks, most: 1 }, look)
  return {
    async stop(): Promise<Size[]> {
      looks = false
      await looking
      return sizes
    },
  }
}

function noteSizes(sheet: ResultSheet, sizes: readonly Size[], every_ms: number): void {
  for (const [table, of_table] of Map.groupBy(sizes, ({ table }) => table)) {
    const kb = of_table.map(({ bytes }) => bytes / 1_000)
    const later = kb.slice(Math.floor(kb.length / 2))
    sheet.figure(`KB a minute that ${table} grew by in the second half`, (slope(later) * 60_000) / every_ms)
    for (const { rows, bytes } of of_table) {
      sheet.figure(`rows of ${table} in the course of it`, rows)
      sheet.figure(`KB of ${table} in the course of it`, bytes / 1_000)
    }
  }
}
