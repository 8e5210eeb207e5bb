import { setTimeout as sleep } from 'node:timers/promises'
import { type Measure, openResult, type ResultSheet } from '../bench.ts'
import { seededHome } from '../seed.ts'
import { openReader } from '../reader.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { quantile } from '../statistics.ts'
import { atRate, startTraffic, untilStill } from '../work.ts'

const PER_S = 1_000
/** Tasks per request of the background traffic. */
const BATCH = 50
/** Rows that the console asks for at a time. */
const PAGE = 200

/** Messages flow this long before timing starts, since a fresh process does much for the first time. */
const FLOW_MS = 5_000
/** The longest wait for an answer. */
const PATIENCE_MS = 20_000
/** A round that takes this long ends with fewer samples. */
const ROUND_MS = 30_000

type Filter = Record<string, string>

/** A user reads and searches a long log while messages flow. */
export const log: Measure = {
  ids: ['pages', 'number', 'text'],
  async run(bench, wanted) {
    const home = await seededHome(bench)
    const server = await startBenchServer(home)
    const access = await gainAccess(server)
    const traffic = await startTraffic(server, access, home.accounts, 8)
    const reader = openReader(server.port, access.token)
    const sheets = {
      pages: openResult('pages'),
      number: openResult('number'),
      text: openResult('text'),
    }
    const kinds = {
      pages: (): Filter[] => [{}, { cursor: String(home.randomId()) }],
      number: (): Filter[] => [
        { search: home.numberOf(home.randomId()) },
        { search: home.guidOf(home.randomId()) },
      ],
      // A word in a few messages, one in nearly all, and one in none.
      text: (): Filter[] => [
        { search: `parcel ${home.randomId()}` },
        { search: 'arrives' },
        { search: 'no such words' },
      ],
    }
    const page = (filter: Filter) => {
      const query = new URLSearchParams({ limit: String(PAGE), ...filter })
      return reader.time(`/api/logs/devices?${query.toString()}`)
    }
    const samples = { pages: 500, number: 100, text: 5 }

    for (const [kind, sheet] of Object.entries(sheets) as [keyof typeof kinds, ResultSheet][]) {
      if (!wanted.has(kind)) continue
      for (let round = 1; round <= bench.rounds; round++) {
        const times: number[] = []
        await untilStill(traffic.delivered)
        let reads = true
        const flow = atRate(PER_S / BATCH, { goesOn: () => reads, most: 8 }, () => traffic.handBatch(BATCH))
        for (const filter of kinds[kind]()) await page(filter)
        await sleep(FLOW_MS)
        const [began, before] = [performance.now(), traffic.delivered()]
        await sheet.watched(async () => {
          for (let sample = 0; sample < samples[kind]; sample++) {
            if (performance.now() - began > ROUND_MS) {
              sheet.note(`slow: a round ended after ${sample} of ${samples[kind]} samples of each kind`)
              break
            }
            for (const filter of kinds[kind]()) {
              const answer = page(filter)
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
        bench.say(`log, ${kind}: round ${round} of ${bench.rounds}`)
      }
    }
    reader.close()
    await traffic.close()
    await bench.close(server)
    return Object.values(sheets)
      .filter(({ row }) => wanted.has(row))
      .map((sheet) => sheet.end())
  },
}
