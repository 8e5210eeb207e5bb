import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import type { Behaviour } from '#simulator/behaviour.ts'
import type { Breach } from '#simulator/breaches.ts'
import { type Faults, NO_FAULTS } from '#simulator/faults.ts'
import { type Fleet, startFleet } from '#simulator/fleet.ts'
import { type DeviceBooks, readDeviceBooks } from './device-books.ts'

export type TorturedDevices = {
  /** All devices lose their memory at once, like a killed process. Data that is not on disk is lost. */
  crash(): Promise<void>
  /** Ends all faults: each device reconnects, and publishes the reports that it held back. */
  calm(): Promise<void>
  /** The devices' stored records. */
  books(): DeviceBooks
  /** The server's breaches of the protocol. */
  breaches(): Breach[]
  counts(): { lives: number; crashes: number; connections: number; on_air: number; connected: number }
  stop(): Promise<void>
  /** Ends all devices like a killed process, for good. */
  abandon(): void
}

type Needs = {
  accounts: readonly LinkedDevice[]
  mqtt_url: string
  ledger_path: string
  max_sms_dayly: number
  /** Share of messages that fail temporarily: each retry is delayed by 10 s or more. */
  failing: number
  /** Frequency of mishaps, relative to the default here; 1 if absent. */
  mishaps?: number | undefined
  seed: string
}

/** Very fast phones, so that a life of the server has many messages, with some failures. */
const BEHAVIOUR: Partial<Behaviour> = {
  send_ms: [1, 20],
  delivery_ms: [5, 150],
  reply_ms: [5, 150],
  blocked: 0.005,
  unanswered: 0.005,
  undelivered: 0.02,
  unreported: 0.02,
  replying: 0.1,
  stopping: 0,
  wobble_secs: 20,
  reconnect_ms: [20, 200],
}

/** Mean times per device; a fleet of twenty has one of these events every half second. */
const FAULTS: Partial<Faults> = {
  drop_puback: 0.05,
  drop_report: 0.02,
  delay_report: 0.05,
  delay_ms: [20, 500],
  repeat_report: 0.1,
  reorder_report: 0.1,
  crash_every_secs: 20,
  cut_every_secs: 20,
  vanish_every_secs: 40,
  leave_every_secs: 60,
  stall_every_secs: 60,
  stall_ms: [200, 1_500],
  away_ms: [100, 800],
}

function lessOften(share: number): Partial<Faults> {
  const every = Object.entries(FAULTS).filter(([name]) => name.endsWith('_every_secs')) as [string, number][]
  return Object.fromEntries(every.map(([name, secs]) => [name, secs / share]))
}

/** Devices that are killed, disconnected and repeat themselves; their ledger survives. */
export async function startTorturedDevices(needs: Needs): Promise<TorturedDevices> {
  const { accounts, mqtt_url, ledger_path, max_sms_dayly, failing, mishaps = 1, seed } = needs
  const breaches: Breach[] = []
  const past = { lives: 0, crashes: 0, connections: 0, on_air: 0 }
  let fleet = await live()
  await fleet.connected()

  function live(): Promise<Fleet> {
    past.lives++
    return startFleet({
      devices: accounts,
      mqtt_url,
      ledger_path,
      behaviour: { ...BEHAVIOUR, failing },
      faults: { ...FAULTS, ...lessOften(mishaps) },
      expectations: { max_sms_dayly },
      seed: `${seed} ${past.lives}`,
    })
  }

  function end(): void {
    const { crashes, connections, on_air } = fleet.stats()
    breaches.push(...fleet.breaches())
    past.crashes += crashes
    past.connections += connections
    past.on_air += on_air
  }

  return {
    async crash() {
      fleet.crash()
      end()
      fleet = await live()
    },
    async calm() {
      fleet.misbehave(NO_FAULTS)
      await fleet.connected()
      for (const device of fleet.devices.values()) device.cut()
    },
    books: () => readDeviceBooks(ledger_path),
    breaches: () => [...breaches, ...fleet.breaches()],
    counts() {
      const { crashes, connections, on_air, connected } = fleet.stats()
      return {
        lives: past.lives,
        crashes: past.crashes + crashes,
        connections: past.connections + connections,
        on_air: past.on_air + on_air,
        connected,
      }
    },
    stop: () => fleet.stop(),
    abandon: () => fleet.crash(),
  }
}
