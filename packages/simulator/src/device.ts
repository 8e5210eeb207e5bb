import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import type { Behaviour } from '#simulator/behaviour.ts'
import type { Checks } from '#simulator/checks.ts'
import type { Account } from '#simulator/client.ts'
import { type Faults, startMishaps } from '#simulator/faults.ts'
import type { Ledger } from '#simulator/ledger.ts'
import { type Life, startLife } from '#simulator/life.ts'
import { openRadios } from '#simulator/networks.ts'
import { openRandom } from '#simulator/random.ts'
import type { Stats } from '#simulator/stats.ts'
import { openTimers } from '#simulator/timers.ts'

export type Device = {
  readonly uid: string
  /** The numbers of its SIMs. */
  readonly numbers: readonly string[]
  /** Settles once its status has been committed for the first time. */
  connected: () => Promise<void>
  /** Changes these faults from now on; the others stay as they are. */
  misbehave: (faults: Partial<Faults>) => void
  /** Loses everything except its ledger, and restarts a little later. */
  crash: () => void
  /** Loses its connection without a DISCONNECT, and reconnects. */
  cut: () => void
  /** The same, but the server's end of the connection stays open. */
  vanish: () => void
  /** Publishes `disconnected`, and reconnects a little later. */
  leave: () => Promise<void>
  /** Reads nothing for a while. */
  stall: (ms: number) => void
  stop: () => Promise<void>
  /** Ends like a killed process: nothing is finished, nothing is published. */
  abandon: () => void
}

export type DeviceNeeds = {
  account: Account
  acks: LinkedDevice['acks']
  ledger: Ledger
  checks: Checks
  behaviour: Behaviour
  faults: Faults
  stats: Stats
  seed: string
  /** Delay before it connects, so that thousands do not connect at once. */
  delay_ms: number
}

export function startDevice(needs: DeviceNeeds): Device {
  const { account, acks, ledger, checks, behaviour, stats, seed } = needs
  const { uid } = account
  const radios = openRadios(uid)
  const numbers = radios.sims.map(({ phone_number }) => phone_number ?? '')
  const watch = checks.watch(uid, numbers)
  const random = openRandom(`${seed} ${uid}`)
  const connected = Promise.withResolvers<void>()
  const timers = openTimers()
  let faults = needs.faults
  let mishaps = openTimers()
  let life: Life | undefined

  timers.after(needs.delay_ms, live)
  misbehave({})

  function live(): void {
    const now = { account, acks, ledger, watch, radios, random, behaviour, stats }
    life = startLife({ ...now, faults: () => faults, connected: connected.resolve })
  }

  function misbehave(changed: Partial<Faults>): void {
    faults = { ...faults, ...changed }
    mishaps.clear()
    mishaps = openTimers()
    startMishaps({ crash, cut, vanish, leave: () => void leave(), stall }, faults, random, mishaps)
  }

  function crash(): void {
    if (!life) return
    stats.crashes++
    life.end()
    life = undefined
    timers.after(random.between(faults.away_ms), live)
  }

  function cut(): void {
    life?.cut()
  }

  function vanish(): void {
    life?.vanish()
  }

  async function leave(): Promise<void> {
    await life?.leave(random.between(faults.away_ms))
  }

  function stall(ms: number): void {
    life?.stall(ms)
  }

  function end(): void {
    mishaps.clear()
    timers.clear()
  }

  return {
    uid,
    numbers,
    connected: () => connected.promise,
    misbehave,
    crash,
    cut,
    vanish,
    leave,
    stall,
    async stop() {
      end()
      await life?.stop()
    },
    abandon() {
      end()
      life?.end()
    },
  }
}
