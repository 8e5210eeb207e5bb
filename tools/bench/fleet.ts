import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, type BenchDevice, type DeviceEvents, openBenchDevice } from './device.ts'

export type BenchFleet = {
  readonly devices: readonly BenchDevice[]
  /** Connects all disconnected devices at once; resolves when the `connected` of each is committed. */
  connected(within_ms?: number): Promise<void>
  /** How often the server refused or closed a connection before the device was live. */
  refused(): number
  /** Cuts all connections, without reconnecting. */
  cut(): Promise<void>
}

/** How long a refused device waits before its next try; the agents double the wait from 1 s on, with jitter. */
const RETRY_MS = [500, 1_000] as const
const PING_EVERY_MS = 60_000

/** Devices that reconnect on their own until the fleet is cut, each time to the current port. */
export function openBenchFleet(
  port: () => number,
  accounts: readonly Account[],
  on: DeviceEvents,
  most_reports?: number,
): BenchFleet {
  let wanted = false
  let live = 0
  let refused = 0
  let arrived = () => {}
  const events: DeviceEvents = {
    ...on,
    live(device) {
      wasLive.add(device)
      live++
      on.live?.(device)
      arrived()
    },
    gone(device) {
      if (wasLive.delete(device)) live--
      else refused++
      on.gone?.(device)
      if (wanted) retry(device)
    },
  }
  const wasLive = new Set<BenchDevice>()
  const devices = accounts.map((account) => openBenchDevice(account, events, most_reports))
  let pinging: NodeJS.Timeout | undefined

  function retry(device: BenchDevice): void {
    const [least, most] = RETRY_MS
    const pause_ms = least + Math.random() * (most - least)
    setTimeout(() => wanted && device.connect(port()), pause_ms).unref()
  }

  return {
    devices,
    async connected(within_ms = 120_000) {
      wanted = true
      pinging ??= setInterval(() => {
        for (const device of devices) if (device.live) device.ping()
      }, PING_EVERY_MS).unref()
      for (const device of devices) if (!device.live) device.connect(port())
      const late = AbortSignal.timeout(within_ms)
      while (live < devices.length) {
        if (late.aborted)
          throw new Error(`${live} of ${devices.length} devices were live within ${within_ms / 1000} s`)
        await Promise.race([new Promise<void>((resolve) => (arrived = resolve)), sleep(100)])
      }
    },
    refused: () => refused,
    async cut() {
      wanted = false
      clearInterval(pinging)
      for (const device of devices) device.cut()
      while (live > 0) await sleep(5)
    },
  }
}
