import { type Bench, type Measure, openResult, type ResultSheet } from '../bench.ts'
import { seededHome } from '../seed.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { median } from '../statistics.ts'
import { startTraffic } from '../work.ts'
import { handInBatches, perSecond } from './throughput.ts'

/** The stored messages, as shares of those in the long log. */
const SHARES = [1 / 1_000, 1 / 10, 1]

/** How the processor time of a message grows with the number of stored messages. */
export const growth: Measure = {
  ids: ['growth'],
  async run(bench) {
    const sheet = openResult('growth')
    const costs: number[] = []
    for (const share of SHARES) costs.push(await costAmong(bench, sheet, Math.ceil(bench.rows * share)))
    sheet.value(Math.max(...costs) / costs[0]!)
    return [sheet.end()]
  },
}

/** The processor time of a message in µs, of the server and of PostgreSQL, with this many stored messages. */
async function costAmong(bench: Bench, sheet: ResultSheet, rows: number): Promise<number> {
  // The rounds would add several times as many messages to a small log, so only larger ones are used again.
  const home = await seededHome({ ...bench, rows }, { keep: rows > 10 * bench.messages * bench.rounds })
  const server = await startBenchServer(home)
  const access = await gainAccess(server)
  const traffic = await startTraffic(server, access, home.accounts, bench)
  const inBatches = () => handInBatches(bench, traffic)
  const among = `with ${rows.toLocaleString('en')} messages, µs`
  const costs: number[] = []
  // A round that does not count: code is compiled when it first runs.
  await perSecond(bench.messages, traffic, inBatches)
  await bench.postgres?.settle(home.name)
  for (let round = 1; round <= bench.rounds; round++) {
    const cost = await bench.costs(server)
    await sheet.watched(() => perSecond(bench.messages, traffic, inBatches))
    const { cpu_us, postgres_cpu_us } = await cost({ figure: () => {} }, 'message', bench.messages)
    sheet.figure(`${among} of the server`, cpu_us)
    if (postgres_cpu_us > 0) sheet.figure(`${among} of PostgreSQL`, postgres_cpu_us)
    costs.push(cpu_us + postgres_cpu_us)
    bench.say(`growth, ${rows.toLocaleString('en')} messages: round ${round} of ${bench.rounds}`)
  }
  await traffic.close()
  await bench.close(server)
  return median(costs)
}
