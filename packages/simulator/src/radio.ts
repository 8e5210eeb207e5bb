import { randomUUID } from 'node:crypto'
import type { InboxSms, Report } from '@sdd/contract/fleet/device-protocol.ts'
import type { NetworkSim } from '@sdd/contract/fleet/devices.ts'
import { type Behaviour, outcomeOf, replyText } from '#simulator/behaviour.ts'
import type { Entry } from '#simulator/ledger-index.ts'
import type { Ledger } from '#simulator/ledger.ts'
import type { Random } from '#simulator/random.ts'
import { behaviourTowards, fixedFailure } from '#simulator/test-numbers.ts'
import type { Timers } from '#simulator/timers.ts'

export type Radio = {
  /** Queues a message. It is sent unless it is cancelled or expires before. */
  take: (entry: Entry) => void
  /** Schedules the delivery report of a message on air, if it gets one. */
  awaitDelivery: (entry: Entry) => void
  /** Accepts no more; settles when nothing is being sent. */
  stop: () => Promise<void>
}

export type RadioNeeds = {
  uid: string
  ledger: Pick<Ledger, 'sending' | 'onAir' | 'forbidden'>
  sims: readonly NetworkSim[]
  random: Random
  timers: Timers
  behaviour: Behaviour
  /** Stores the report and publishes it. */
  report: (report: Omit<Report, 'at'>) => Promise<void>
  receive: (sms: InboxSms) => Promise<void>
  aired: (entry: Entry) => void
}

/**
 * Sends one message at a time, like a modem. "Sending" is on disk before the radio begins, the outcome after it (rule
 * 2). The message goes on air somewhere in between, so a crash can come before or after that.
 */
export function startRadio({
  uid,
  ledger,
  sims,
  random,
  timers,
  behaviour,
  report,
  receive,
  aired,
}: RadioNeeds): Radio {
  const queue: Entry[] = []
  let stopping = false
  let idle = Promise.withResolvers<void>()
  let busy = false
  idle.resolve()

  async function run(): Promise<void> {
    busy = true
    idle = Promise.withResolvers()
    for (let entry = queue.shift(); entry && !stopping; entry = queue.shift()) await send(entry)
    busy = false
    idle.resolve()
  }

  async function send(entry: Entry): Promise<void> {
    const { guid, attempt, parts, command } = entry
    if (!command || entry.report.state !== 'accepted') return // cancelled while it waited
    if (ledger.forbidden(uid, guid)) return report(cancelled(guid, attempt))
    if (command.expires_at && Date.parse(command.expires_at) <= Date.now()) {
      return report({
        guid,
        attempt,
        state: 'failed',
        code: 'expired',
        detail: 'Caducado antes de enviarse',
        parts: 0,
      })
    }
    const named = command.iccid && sims.find(({ iccid }) => iccid === command.iccid)
    if (command.iccid && !named) {
      const detail = `Sin la SIM ${command.iccid}`
      return report({ guid, attempt, state: 'failed', code: 'modem_error', detail, parts: 0 })
    }
    const sim =
      named || (command.from ? sims.find(({ phone_number }) => phone_number === command.from) : sims[0])
    if (!sim) {
      const detail = `Sin SIM con el número ${command.from}`
      return report({ guid, attempt, state: 'failed', code: 'no_sim', detail, parts: 0 })
    }
    await ledger.sending(uid, guid, attempt)
    const radio_ms = random.between(behaviour.send_ms) * parts
    const air_ms = Math.floor(radio_ms * random.next())
    const drawn = outcomeOf(random, behaviourTowards(command.to, behaviour))
    const fixed = fixedFailure(command.to, attempt)
    const outcome = fixed ? { on_air: false, failure: fixed } : drawn
    await timers.sleep(air_ms)
    if (outcome.on_air) {
      void ledger.onAir(uid, guid, attempt, new Date())
      aired(entry)
    }
    await timers.sleep(radio_ms - air_ms)
    const { failure } = outcome
    if (!failure) await report({ guid, attempt, state: 'sent', parts, sim: sim.phone_number })
    else if (outcome.on_air) await report({ guid, attempt, state: 'failed', ...failure })
    else await report({ guid, attempt, state: 'failed', ...failure, parts: 0 })
    if (outcome.on_air) awaitDelivery(entry)
  }

  function awaitDelivery({ guid, attempt, command }: Entry): void {
    if (!command) return
    const towards = behaviourTowards(command.to, behaviour)
    if (command.silent || random.chance(towards.unreported)) return
    const undelivered = random.chance(towards.undelivered)
    timers.after(random.between(towards.delivery_ms), () => {
      if (undelivered) {
        const failure = { code: 'absent_subscriber', detail: 'Abonado ausente' }
        return void report({ guid, attempt, state: 'undelivered', ...failure })
      }
      void report({ guid, attempt, state: 'delivered' })
      if (random.chance(towards.replying)) awaitReply(command.to, towards)
    })
  }

  function awaitReply(from: string, towards: Behaviour): void {
    timers.after(random.between(towards.reply_ms), () => {
      void receive({
        id: randomUUID(),
        from,
        text: replyText(random, towards),
        at: new Date().toISOString(),
      })
    })
  }

  return {
    take(entry) {
      queue.push(entry)
      if (!busy) void run()
    },
    awaitDelivery,
    async stop() {
      stopping = true
      await idle.promise
    },
  }
}

/** The outcome of a message that was cancelled before it went on air. */
export function cancelled(guid: string, attempt: number): Omit<Report, 'at'> {
  return { guid, attempt, state: 'failed', code: 'cancelled', detail: 'Cancelado', parts: 0 }
}
