import { type Measure, openResult, type ResultSheet } from '../bench.ts'
import { seededHome } from '../seed.ts'
import { openReader } from '../reader.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { startTraffic } from '../work.ts'
import { readWhileFlowing } from './reading.ts'

const PER_S = 1_000
/** Rows that the console asks for at a time. */
const PAGE = 200

const FLOW_MS = 5_000

type Filter = Record<string, string>

/** A user reads and searches a long log while messages flow. */
export const log: Measure = {
  ids: ['pages', 'number', 'text'],
  async run(bench, wanted) {
    const home = await seededHome(bench)
    const server = await startBenchServer(home)
    const access = await gainAccess(server)
    const traffic = await startTraffic(server, access, home.accounts, { connections: 8 })
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
    const pathOf = (filter: Filter) =>
      `/api/logs/devices?${new URLSearchParams({ limit: String(PAGE), ...filter }).toString()}`
    const samples = { pages: 500, number: 100, text: 5 }

    for (const [kind, sheet] of Object.entries(sheets) as [keyof typeof kinds, ResultSheet][]) {
      if (!wanted.has(kind)) continue
      for (let round = 1; round <= bench.rounds; round++) {
        const paths = () => kinds[kind]().map(pathOf)
        const reads = { per_s: PER_S, flow_ms: FLOW_MS, samples: samples[kind], paths }
        await readWhileFlowing({ reader, traffic, sheet }, reads)
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
