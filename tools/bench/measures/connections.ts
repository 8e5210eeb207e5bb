import { setTimeout as sleep } from 'node:timers/promises'
import { type Measure, openResult } from '../bench.ts'
import { openBenchFleet } from '../fleet.ts'
import { gainAccess, linkDevices, startBenchServer } from '../server.ts'

/** Ten times as many devices as in the other rows. */
const TIMES = 10
const SETTLE_MS = 5_000
/** The share of the devices to wait for: the last few may be between two tries. */
const MOST = 0.95

const since = (began: number) => (performance.now() - began) / 1_000

/**
 * A server that starts while its whole fleet reconnects: all devices connect at the same moment from one address, and
 * retry if refused. Afterwards, in an idle server, its memory is divided by the devices.
 */
export const connections: Measure = {
  ids: ['idle', 'reconnect'],
  async run(bench, wanted) {
    const home = await bench.home('connections')
    const count = bench.devices * TIMES
    const first = await startBenchServer(home)
    const prefix = `c${Date.now().toString(36)}`
    const accounts = await linkDevices(first, await gainAccess(first), { count, prefix })
    await first.stop()
    const [idle, reconnect] = [openResult('idle'), openResult('reconnect')]

    for (let round = 1; round <= bench.rounds; round++) {
      const server = await startBenchServer(home)
      await sleep(SETTLE_MS / 2)
      const before_mib = server.child.resident_mib()
      const costs = await bench.costs(server)
      let live = 0
      const fleet = openBenchFleet(() => server.mqtt_port, accounts, {
        live() {
          if (++live === Math.ceil(count * MOST)) reconnect.figure('s until 95 % were', since(began))
        },
      })
      const began = performance.now()
      await reconnect.watched(() => fleet.connected(300_000))
      reconnect.value(since(began))
      await costs(reconnect, 'device', count)
      reconnect.figure('connections turned away', fleet.refused())
      await idle.watched(() => sleep(SETTLE_MS))
      const after_mib = server.child.resident_mib()
      idle.value(((after_mib - before_mib) * 1_024) / count)
      idle.figure('MiB of the server', after_mib)
      idle.figure('MiB before', before_mib)
      await fleet.cut()
      await bench.close(server)
      bench.say(`connections: round ${round} of ${bench.rounds}`)
    }
    return [idle, reconnect].filter((sheet) => wanted.has(sheet.row)).map((sheet) => sheet.end())
  },
}
