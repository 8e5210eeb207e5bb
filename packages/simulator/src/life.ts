import {
  deviceAnswers,
  deviceCommands,
  deviceNetworks,
  deviceStatus,
  deviceTelemetry,
  type InboxSms,
  type Presence,
  type Report,
  UNKNOWN_OUTCOME,
} from '@sdd/contract/fleet/device-protocol.ts'
import { abilities } from '@sdd/contract/fleet/orders.ts'
import type { LinkedDevice } from '@sdd/contract/fleet/devices.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import type { Behaviour } from '#simulator/behaviour.ts'
import { type Account, connect, type Connection, ConnectionRefused } from '#simulator/client.ts'
import { serveCommands } from '#simulator/commands.ts'
import type { Faults } from '#simulator/faults.ts'
import type { Ledger } from '#simulator/ledger.ts'
import type { Radios } from '#simulator/networks.ts'
import { openOutbox } from '#simulator/outbox.ts'
import { startRadio } from '#simulator/radio.ts'
import type { Random } from '#simulator/random.ts'
import type { Stats } from '#simulator/stats.ts'
import { openTimers } from '#simulator/timers.ts'
import type { DeviceWatch } from '#simulator/watch.ts'

export type Life = {
  /** Loses its connection and reconnects. */
  cut: () => void
  /** The same, but the server's end of the connection stays open. */
  vanish: () => void
  /** Publishes `disconnected`, and reconnects after `away_ms`. */
  leave: (away_ms: number) => Promise<void>
  stall: (ms: number) => void
  /** Lets the radio and the outbox finish, publishes `disconnected` and ends. */
  stop: () => Promise<void>
  /** Ends at once; everything outside the ledger is lost. */
  end: () => void
}

type LifeNeeds = {
  account: Account
  acks: LinkedDevice['acks']
  ledger: Ledger
  watch: DeviceWatch
  radios: Radios
  random: Random
  behaviour: Behaviour
  faults: () => Faults
  stats: Stats
  /** Called when its status is committed. */
  connected: () => void
}

const AGENT = 'sdd-simulator/0.1.0'
/** The contract requires a snapshot at least every 15 minutes. */
const NETWORKS_EVERY_MS = 14 * 60_000
const TELEMETRY_EVERY_MS = 60_000
/** Time limits of a clean stop: for the last reports, and for the goodbye. */
const GOODBYE_MS = 3_000

/** A device from its start to its crash or stop. Its memory ends with it; its persistent state is in the ledger. */
export function startLife(needs: LifeNeeds): Life {
  const { account, acks, ledger, watch, radios, random, behaviour, faults, stats } = needs
  const { uid } = account
  const topics = {
    status: topicOf(deviceStatus, { uid }),
    networks: topicOf(deviceNetworks, { uid }),
    answers: topicOf(deviceAnswers, { uid }),
    telemetry: topicOf(deviceTelemetry, { uid }),
    commands: topicOf(deviceCommands, { uid }),
  }
  const timers = openTimers()
  const outbox = openOutbox({ uid, acks, ledger, watch, random, timers, faults })
  const radio = startRadio({
    uid,
    ledger,
    sims: radios.sims,
    random,
    timers,
    behaviour,
    report,
    receive,
    aired({ guid }) {
      stats.on_air++
      watch.onAir(guid)
    },
  })
  const serve = serveCommands({
    uid,
    acks,
    ledger,
    watch,
    outbox,
    radio,
    stats,
    report,
    publishNetworks,
    answer: (answer) => void subscribed?.publish(topics.answers, answer).catch(() => undefined),
    over: () => over,
    forgetsPuback: () => random.chance(faults().drop_puback),
  })
  let connection: Connection | undefined
  let subscribed: Connection | undefined
  let greeted = false
  let tries = 0
  let next_try_ms: number | undefined
  let over = false

  recover()
  void meet()
  wobble()
  repeatNetworks()
  repeatTelemetry()

  /**
   * Handles the open entries of an earlier life. An entry in doubt is reported as such and never sent again (rule 2).
   */
  function recover(): void {
    for (const entry of ledger.open(uid)) {
      const { guid, attempt, sending, on_air } = entry
      if (entry.report.state === 'accepted') {
        if (!sending) {
          radio.take(entry)
          continue
        }
        void report({
          guid,
          attempt,
          state: 'failed',
          code: UNKNOWN_OUTCOME,
          detail: 'Reinicio durante el envío',
        })
      }
      if (on_air > 0) radio.awaitDelivery(entry)
    }
  }

  async function meet(): Promise<void> {
    const opening = connect(account, AGENT, {
      command: (packet) => serve(packet, (id) => opening.puback(id)),
      strayPuback: watch.strayPuback,
      ended: lost,
    })
    connection = opening
    // `lost` handles the reason of its end.
    if (!(await succeeds(opening.opened))) return
    subscribed = opening
    watch.connected()
    const greeting = opening.publish(topics.status, presence(opening, 'connected'))
    publishNetworks()
    outbox.opened(opening)
    if (!(await succeeds(greeting))) return
    greeted = true
    watch.greeted()
    tries = 0
    stats.connections++
    stats.connected++
    needs.connected()
  }

  function lost(why: Error): void {
    connection = subscribed = undefined
    outbox.closed()
    watch.disconnected()
    if (why instanceof ConnectionRefused) stats.refused++
    if (greeted) stats.connected--
    greeted = false
    if (over) return
    timers.after(next_try_ms ?? backoff(), () => void meet())
    next_try_ms = undefined
  }

  /** Doubles after each failure, with a random part that keeps devices out of step. */
  function backoff(): number {
    const [first, longest] = behaviour.reconnect_ms
    const most = Math.min(longest, first * 2 ** Math.min(tries++, 20))
    return random.between([Math.floor(most / 2), most])
  }

  function presence({ session }: Connection, status: Presence['status']): Presence {
    return { status, session, agent: AGENT, abilities: [...abilities] }
  }

  function publishNetworks(): void {
    subscribed?.publish(topics.networks, radios.snapshot(new Date())).catch(() => undefined)
  }

  function repeatNetworks(): void {
    timers.after(NETWORKS_EVERY_MS, () => {
      publishNetworks()
      repeatNetworks()
    })
  }

  /** The first time is random, or thousands would speak at the same moment. */
  function repeatTelemetry(after_ms = random.between([1_000, TELEMETRY_EVERY_MS])): void {
    timers.after(after_ms, () => {
      subscribed?.publish(topics.telemetry, radios.telemetry(new Date())).catch(() => undefined)
      repeatTelemetry(TELEMETRY_EVERY_MS)
    })
  }

  function wobble(): void {
    if (behaviour.wobble_secs === 0) return
    timers.after(random.interval(behaviour.wobble_secs * 1_000), () => {
      radios.wobble()
      publishNetworks()
      wobble()
    })
  }

  async function receive(sms: InboxSms): Promise<void> {
    stats.replies++
    const item = await ledger.receive(uid, sms)
    if (!over) outbox.add(item)
  }

  async function report(fields: Omit<Report, 'at'>): Promise<void> {
    const { state, code } = fields
    if (code === UNKNOWN_OUTCOME) stats.uncertain++
    else if (state !== 'accepted') stats[state]++
    const item = await ledger.report(uid, { ...fields, at: new Date().toISOString() })
    if (!over) outbox.add(item)
  }

  async function leave(): Promise<void> {
    const leaving = subscribed
    if (!leaving) return
    const goodbye = leaving.publish(topics.status, presence(leaving, 'disconnected')).catch(() => undefined)
    await Promise.race([goodbye, timers.sleep(GOODBYE_MS)])
    leaving.leave()
  }

  function end(): void {
    over = true
    timers.clear()
    connection?.cut()
  }

  return {
    cut: () => connection?.cut(),
    vanish: () => connection?.vanish(),
    leave(away_ms) {
      next_try_ms = away_ms
      return leave()
    },
    stall(ms) {
      watch.stalled(ms)
      subscribed?.stall(ms)
    },
    async stop() {
      await radio.stop()
      if (subscribed) await Promise.race([outbox.emptied(), timers.sleep(GOODBYE_MS)])
      over = true
      await leave()
      end()
    },
    end,
  }
}

function succeeds(promise: Promise<void>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  )
}
