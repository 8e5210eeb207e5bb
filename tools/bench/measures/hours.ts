import { DEFAULT_HOURS, weekDays } from '../../../packages/contract/src/accounts/sending-hours.ts'
import { type Measure, openResult } from '../bench.ts'
import { prove } from '../../../scripts/session.ts'
import { ADMIN, gainAccess, openJson, startBenchServer } from '../server.ts'
import { median } from '../statistics.ts'
import { startScene } from '../work.ts'
import { handInBatches, perSecond } from './throughput.ts'

/** Always open, by the clock of the recipient: each message is judged, and none waits. */
const ALWAYS = {
  windows: [{ days: [...weekDays], from: '00:00', to: '24:00' }],
  zone: 'recipient',
  holidays: [],
}

/** The processor time of a message in a company with sending hours ÷ without, in turns. */
export const hours: Measure = {
  ids: ['hours'],
  async run(bench) {
    const server = await startBenchServer(await bench.home('hours'))
    const access = await gainAccess(server)
    const scene = await startScene(server, access, bench)
    const api = openJson(server.port, access.token, 1)
    const sheet = openResult('hours')

    async function costWith(transactional: typeof ALWAYS | null): Promise<number> {
      const sending_hours = { ...DEFAULT_HOURS, transactional }
      const changed = { spoof_time_secs: 0, send_enabled: true, sending_hours }
      await prove(server.url, access.token, ADMIN)
      await api.post('/api/global-settings', changed)
      const cost = await bench.costs(server)
      await sheet.watched(() => perSecond(bench.messages, scene, () => handInBatches(bench, scene)))
      const { cpu_us, postgres_cpu_us } = await cost({ figure: () => {} }, 'message', bench.messages)
      sheet.figure(`CPU µs a message ${transactional ? 'with' : 'without'} hours`, cpu_us + postgres_cpu_us)
      return cpu_us + postgres_cpu_us
    }

    // Rounds that do not count: code is compiled when it first runs.
    for (const its of [null, ALWAYS]) await costWith(its)
    await bench.postgres?.settle('hours')
    const costs = { with: [] as number[], without: [] as number[] }
    for (let round = 1; round <= bench.rounds; round++) {
      const order = [null, ALWAYS]
      for (const its of round % 2 === 0 ? order.reverse() : order)
        costs[its ? 'with' : 'without'].push(await costWith(its))
      bench.say(`hours: round ${round} of ${bench.rounds}`)
    }
    // The two rounds of a pair differ by more than the hours cost.
    sheet.value(median(costs.with) / median(costs.without))
    api.close()
    await scene.close()
    await bench.close(server)
    return [sheet.end()]
  },
}
