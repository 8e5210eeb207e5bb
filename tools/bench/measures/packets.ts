import { type Measure, openResult, type ResultSheet, watchedBy } from '../bench.ts'
import { openReader } from '../reader.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { repeat, startScene } from '../work.ts'
import { readWhileFlowing } from './reading.ts'
import { handInBatches, perSecond } from './throughput.ts'

/** Five times as many devices as in the other rows. */
const TIMES = 5
/** The messages a second while pages are read. */
const PER_S = 850
/** Rows that a client gets if it names no number. */
const PAGE = 500
/** The longest time that messages flow before the first page. */
const FLOW_MS = 5_000

/**
 * A large fleet in which each report comes in a packet of its own: a device with few messages has no other report to
 * put into the same packet. Pages are read while such a fleet is at work.
 */
export const packets: Measure = {
  ids: ['packets', 'packets-batches', 'packets-cpu', 'packets-batches-cpu', 'busy-page'],
  async run(bench, wanted) {
    const { messages, connections, rounds } = bench
    const server = await startBenchServer(await bench.home('packets'))
    const access = await gainAccess(server)
    const fleet = { devices: bench.devices * TIMES, connections, most_reports: 1 }
    const scene = await startScene(server, access, fleet)
    const single = { rate: openResult('packets'), cpu: openResult('packets-cpu') }
    const batches = { rate: openResult('packets-batches'), cpu: openResult('packets-batches-cpu') }
    const page = openResult('busy-page')
    const oneByOne = () => repeat(messages, connections, () => scene.handOne())
    const inBatches = () => handInBatches(bench, scene)

    async function measured({ rate, cpu }: Record<'rate' | 'cpu', ResultSheet>, hand: () => Promise<void>) {
      if (!wanted.has(rate.row) && !wanted.has(cpu.row)) return
      const costs = await bench.costs(server)
      const [began, before_us] = [performance.now(), server.child.mainThreadCpu()]
      const per_s = await watchedBy([rate, cpu], () => perSecond(messages, scene, hand))
      const took_us = (performance.now() - began) * 1_000
      rate.value(per_s)
      rate.figure('main thread, % of a core', ((server.child.mainThreadCpu() - before_us) * 100) / took_us)
      const { cpu_us } = await costs(rate, 'message', messages)
      cpu.value(cpu_us)
    }

    // Two rounds that do not count: code is compiled when it first runs, and a page needs a log.
    for (const hand of [inBatches, oneByOne]) await perSecond(messages, scene, hand)
    await bench.postgres?.settle('packets')
    for (let round = 1; round <= rounds; round++) {
      await measured(single, oneByOne)
      await measured(batches, inBatches)
      bench.say(`packets: round ${round} of ${rounds}`)
    }

    const reader = openReader(server.port, access.token)
    const reads = {
      per_s: PER_S,
      flow_ms: Math.min(FLOW_MS, messages / 2),
      samples: Math.ceil(messages / 40),
      paths: () => [`/api/logs/devices?limit=${PAGE}`],
    }
    for (let round = 1; round <= rounds && wanted.has('busy-page'); round++) {
      await readWhileFlowing({ reader, traffic: scene, sheet: page }, reads)
      bench.say(`busy-page: round ${round} of ${rounds}`)
    }
    reader.close()
    await scene.close()
    await bench.close(server)
    return [single.rate, batches.rate, single.cpu, batches.cpu, page]
      .filter(({ row }) => wanted.has(row))
      .map((sheet) => sheet.end())
  },
}
