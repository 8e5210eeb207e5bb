import { setTimeout as sleep } from 'node:timers/promises'
import { type Measure, openResult } from '../bench.ts'
import { openBrowser } from '../browser.ts'
import type { BenchDevice } from '../device.ts'
import { openBenchFleet } from '../fleet.ts'
import { gainAccess, linkDevices, startBenchServer } from '../server.ts'
import { quantile } from '../statistics.ts'

/** The time between two cuts of one device's connection. */
const EVERY_MS = 4_000

/** Devices lose their connection and return all the time; a browser watches. */
export const status: Measure = {
  ids: ['status'],
  async run(bench) {
    const server = await startBenchServer(await bench.home('status'))
    const access = await gainAccess(server)
    const prefix = `s${Date.now().toString(36)}`
    const accounts = await linkDevices(server, access, { count: bench.devices, prefix })
    const fleet = openBenchFleet(() => server.mqtt_port, accounts, {})
    await fleet.connected()
    await bench.postgres?.settle('status')
    const byUid = new Map(fleet.devices.map((device) => [device.uid, device]))
    const cut_at = new Map<string, number>()
    let times = { connected: [] as number[], disconnected: [] as number[] }
    const browser = await openBrowser({
      url: server.url,
      token: access.token,
      status(uid, said) {
        const since = said === 'connected' ? byUid.get(uid)?.said_at : cut_at.get(uid)
        if (since !== undefined) times[said].push(performance.now() - since)
      },
    })
    const sheet = openResult('status')
    const round_ms = Math.max(bench.messages, EVERY_MS)

    function cut(device: BenchDevice): void {
      if (!device.live) return
      cut_at.set(device.uid, performance.now())
      device.cut()
    }

    for (let round = 1; round <= bench.rounds; round++) {
      times = { connected: [], disconnected: [] }
      const costs = await bench.costs(server)
      await sheet.watched(async () => {
        const per_ms = fleet.devices.length / EVERY_MS
        const began = performance.now()
        for (let done = 0, passed = 0; passed < round_ms; passed = performance.now() - began) {
          for (const due = passed * per_ms; done < due; done++)
            cut(fleet.devices[done % fleet.devices.length]!)
          await sleep(1)
        }
        await sleep(1_500)
      })
      const all = [...times.connected, ...times.disconnected]
      sheet.value(quantile(all, 0.99))
      sheet.figure('p50 ms', quantile(all, 0.5))
      sheet.figure('connected, p99 ms', quantile(times.connected, 0.99))
      sheet.figure('disconnected, p99 ms', quantile(times.disconnected, 0.99))
      sheet.figure('changes/s', (all.length * 1_000) / round_ms)
      await costs(sheet, 'change', all.length)
      bench.say(`status: round ${round} of ${bench.rounds}`)
    }
    browser.close()
    await fleet.cut()
    await bench.close(server)
    return [sheet.end()]
  },
}
