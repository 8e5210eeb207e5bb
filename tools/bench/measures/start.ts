import { type Measure, openResult } from '../bench.ts'
import { seededHome } from '../seed.ts'
import { startBenchServer } from '../server.ts'

/** How long a start takes until the server answers. */
export const start: Measure = {
  ids: ['start'],
  async run(bench) {
    const home = await seededHome(bench)
    const sheet = openResult('start')
    for (let round = 1; round <= bench.rounds; round++) {
      const server = await sheet.watched(() => startBenchServer(home))
      sheet.value(server.started_ms / 1_000)
      sheet.figure('CPU s', server.child.cpu() / 1e6)
      await bench.close(server)
      bench.say(`start: round ${round} of ${bench.rounds}`)
    }
    return [sheet.end()]
  },
}
