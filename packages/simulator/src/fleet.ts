import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import { type Behaviour, USUAL_BEHAVIOUR } from '#simulator/behaviour.ts'
import type { Breach, Expectations } from '#simulator/breaches.ts'
import { openChecks } from '#simulator/checks.ts'
import { addressOf } from '#simulator/dial.ts'
import { type Device, startDevice } from '#simulator/device.ts'
import { type Faults, NO_FAULTS } from '#simulator/faults.ts'
import { openLedger } from '#simulator/ledger.ts'
import { emptyStats, type Stats } from '#simulator/stats.ts'

export type FleetNeeds = {
  /** A device may behave differently from the others. */
  devices: readonly { uid: string; secret: string; behaviour?: Partial<Behaviour> }[]
  mqtt_url: string
  /** Must survive restarts: it is all that the devices remember. */
  ledger_path: string
  /** How the server acknowledges, from its link answer; by PUBACK if absent. */
  acks?: LinkedDevice['acks']
  behaviour?: Partial<Behaviour>
  faults?: Partial<Faults>
  /** The server's settings, for the checks that need them. */
  expectations?: Partial<Expectations>
  /** The same seed makes the same choices for each device. */
  seed?: string
}

export type Fleet = {
  readonly devices: ReadonlyMap<string, Device>
  /** Settles once each device's status has been committed. */
  connected: () => Promise<void>
  /** All devices finish the message on the radio, publish `disconnected` and end. */
  stop: () => Promise<void>
  /** Like a killed process: data that is not on disk is lost. */
  crash: () => void
  misbehave: (faults: Partial<Faults>) => void
  expect: (expectations: Partial<Expectations>, uid?: string) => void
  /** How often each guid was on air, in all runs of this ledger. */
  onAir: () => Map<string, number>
  breaches: () => Breach[]
  stats: () => Stats & { breaches: number }
}

const CONNECTS_A_SEC = 1_000

/**
 * Starts devices that follow the device protocol, in this process, with one ledger. Rejects if the ledger is damaged.
 */
export async function startFleet(needs: FleetNeeds): Promise<Fleet> {
  const { mqtt_url, acks = 'puback', seed = 'fleet' } = needs
  const address = addressOf(mqtt_url)
  const ledger = await openLedger(needs.ledger_path)
  const checks = openChecks({ ledger })
  const stats = emptyStats()
  checks.expect(needs.expectations ?? {})

  const shared = {
    acks,
    ledger,
    checks,
    faults: { ...NO_FAULTS, ...needs.faults },
    stats,
    seed,
  }
  const devices = new Map(
    needs.devices.map(({ uid, secret, behaviour }, i) => {
      const account = { uid, secret, address }
      const behaves = { ...USUAL_BEHAVIOUR, ...needs.behaviour, ...behaviour }
      const delay_ms = (i * 1_000) / CONNECTS_A_SEC
      return [uid, startDevice({ ...shared, account, behaviour: behaves, delay_ms })]
    }),
  )

  function all<T>(act: (device: Device) => T): T[] {
    return Array.from(devices.values(), act)
  }

  return {
    devices,
    async connected() {
      await Promise.all(all((device) => device.connected()))
    },
    async stop() {
      await Promise.all(all((device) => device.stop()))
      await ledger.close()
    },
    crash() {
      all((device) => device.abandon())
      ledger.abandon()
    },
    misbehave: (faults) => void all((device) => device.misbehave(faults)),
    expect: checks.expect,
    onAir() {
      const times = new Map<string, number>()
      for (const { guid, on_air } of ledger.entries()) {
        if (on_air > 0) times.set(guid, (times.get(guid) ?? 0) + on_air)
      }
      return times
    },
    breaches: checks.breaches,
    stats: () => ({ ...stats, breaches: checks.count() }),
  }
}
