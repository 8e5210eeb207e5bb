import { join } from 'node:path'
import { ROOT } from '../../../scripts/run.ts'
import { type Measure, openResult } from '../bench.ts'
import { freePort } from '../../../scripts/free-port.ts'
import { startChild, untilReady } from '../children.ts'
import { openHttpLoad } from '../http.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { nextTask, repeat } from '../work.ts'

/** Requests per message of a round, since the echo server would finish fewer too soon. */
const REQUESTS = 4

/** Requests with one task each, answered once it is on disk; compared with a server that ignores the body. */
export const accept: Measure = {
  ids: ['accept'],
  async run(bench) {
    const server = await startBenchServer(await bench.home('accept'))
    const { key } = await gainAccess(server)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const port = Number(await freePort())
    const program = join(ROOT, 'tools/bench/echo-server.ts')
    const { folder, connections } = bench
    const echo = startChild({
      name: 'echo',
      folder,
      command: process.execPath,
      args: [program, String(port)],
    })
    await untilReady(echo, async () => (await fetch(`http://127.0.0.1:${port}`)).ok)
    const loads = {
      server: openHttpLoad({ port: server.port, connections, headers }),
      echo: openHttpLoad({ port, connections, headers }),
    }
    const sheet = openResult('accept')

    const requests = REQUESTS * bench.messages
    async function perSecond(which: keyof typeof loads): Promise<number> {
      const began = performance.now()
      await repeat(requests, connections, async () => {
        const { status, body } = await loads[which].request(
          'POST /api/external-tasks',
          JSON.stringify(nextTask()),
        )
        if (status >= 300) throw new Error(`The ${which} answered ${status}: ${body}`)
      })
      return (requests * 1_000) / (performance.now() - began)
    }

    for (const which of ['server', 'echo'] as const) await perSecond(which)
    await bench.postgres?.settle('accept')
    for (let round = 1; round <= bench.rounds; round++) {
      const echoed = await perSecond('echo')
      const costs = await bench.costs(server)
      const accepted = await sheet.watched(() => perSecond('server'))
      sheet.figure('requests/s', accepted)
      await costs(sheet, 'request', requests)
      sheet.figure('node:http echo requests/s', echoed)
      sheet.value(accepted / echoed)
      bench.say(`accept: round ${round} of ${bench.rounds}`)
    }

    for (const load of Object.values(loads)) load.close()
    await echo.stop()
    await bench.close(server)
    return [sheet.end()]
  },
}
