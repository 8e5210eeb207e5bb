import { keptIccid } from '@sdd/contract/fleet/sims.ts'
import type { Networks } from '@sdd/contract/fleet/devices.ts'
import { type Clock, isoNow } from '#agent/clock.ts'
import { type Driver, type Keeper, type Outgoing, withoutSim } from '#agent/driver.ts'
import { sameNumber } from '#agent/ledger/numbers.ts'
import type { Say } from '#agent/say.ts'
import type { Api, Sim } from './api.ts'
import { openDeliveries } from './deliveries.ts'
import { openInbox } from './inbox.ts'
import { idOf, sendSms } from './send.ts'
import { openWebhooks, type Webhooks } from './webhooks.ts'

type GatewayNeeds = {
  api: Api
  keeper: Keeper
  clock: Clock
  say: Say
  /** The phone's address, for people. */
  where: string
  /** 1 to 3; the app chooses if it is undefined. */
  simNumber: number | undefined
  webhook: { url: string; port: number } | undefined
  since: string
}

const LOOK_EVERY_MS = 15_000
/** Delivery reports are not urgent; with webhooks they arrive at once. */
const DELIVERIES_EVERY_MS = 10_000

/** An Android phone with the app SMS Gateway for Android, through its local server. */
export function openGatewayDriver(needs: GatewayNeeds): Driver {
  const { api, keeper, clock, say, where, webhook, since } = needs
  let { simNumber } = needs
  const closing = new AbortController()
  const inbox = openInbox({ api, keeper, clock, since })
  const deliveries = openDeliveries({ api, keeper, clock, salt: since })
  let state = { ready: false, says: 'the phone was not asked yet' }
  let sims: Sim[] = []
  let knows_sims = false
  let last_sent_at: string | null = null
  let webhooks: Webhooks | undefined
  let webhooks_logged = false
  let lists_inbox = true
  let sending: Promise<unknown> = Promise.resolve()

  const stopLooking = repeat(LOOK_EVERY_MS, look)
  const deliveryWatch = repeat(DELIVERIES_EVERY_MS, () => deliveries.poll())

  /** Runs `work` now and then periodically, one run at a time. The next run makes up for a failed one. */
  function repeat(every_ms: number, work: () => Promise<void>): { soon: () => void; stop: () => void } {
    let running = false
    let cancel = clock.after(0, run)
    function run(): void {
      cancel()
      if (running || closing.signal.aborted) return
      running = true
      work()
        .catch(() => undefined)
        .finally(() => {
          running = false
          if (!closing.signal.aborted) cancel = clock.after(every_ms, run)
        })
    }
    return { soon: run, stop: () => cancel() }
  }

  async function look(): Promise<void> {
    const found = await greet().catch((error: Error) => ({ ready: false, says: error.message }))
    if (found.ready !== state.ready || found.says !== state.says) keeper.changed()
    state = found
    if (!found.ready) return
    if (webhook && !webhooks) await connectWebhooks(webhook)
    const listed = await inbox.poll()
    if (!listed && lists_inbox && !webhook) {
      say('this version of the app does not list received SMS: update it, or link it with --webhook')
    }
    lists_inbox = listed
  }

  async function greet(): Promise<{ ready: boolean; says: string }> {
    const model = await api.hello()
    sims = await api.sims()
    knows_sims = true
    const carriers = sims.map(({ carrierName }) => carrierName).filter(Boolean)
    return {
      ready: true,
      says: `${model} answers${carriers.length > 0 ? `, SIM of ${carriers.join(' and ')}` : ''}`,
    }
  }

  async function connectWebhooks({ url, port }: { url: string; port: number }): Promise<void> {
    const received = inbox.take
    const moved = (): void => deliveryWatch.soon()
    try {
      webhooks = await openWebhooks({ api, url, port, received, moved })
    } catch (error) {
      if (!webhooks_logged)
        say(`webhooks do not work, so the phone is polled instead: ${(error as Error).message}`)
      webhooks_logged = true
    }
  }

  /** `missing` if the phone says the ICCIDs of its SIMs, and this is none of them. */
  function chosenSim({ from, iccid }: Pick<Outgoing, 'from' | 'iccid'>): number | undefined | 'missing' {
    const named = iccid && sims.find((sim) => keptIccid(sim.iccid ?? '') === iccid)
    if (named) return named.simNumber
    if (iccid && sims.length > 0 && sims.every((sim) => keptIccid(sim.iccid ?? ''))) return 'missing'
    const own = from && sims.find(({ phoneNumber }) => phoneNumber && sameNumber(phoneNumber, from))
    return own ? own.simNumber : simNumber
  }

  /** The ICCID or number of the SIM that sends. The app does not say which one it chose itself. */
  function nameOfSim(asked: number | undefined): string | undefined {
    const sim =
      asked === undefined && sims.length === 1 ? sims[0] : sims.find((one) => one.simNumber === asked)
    return keptIccid(sim?.iccid ?? '') ?? (sim?.phoneNumber || undefined)
  }

  return {
    name: `Android phone at ${where} (SMS Gateway)`,
    delivery_reports: true,
    async send(message, progress) {
      const simNumber = chosenSim(message)
      if (simNumber === 'missing') return withoutSim(message.iccid!)
      const send = { api, clock, simNumber, salt: since, closing: closing.signal }
      const sim = nameOfSim(simNumber)
      const sent = sendSms(send, message, progress)
      sending = sent
      const outcome = { ...(await sent), ...(sim !== undefined && { sim }) }
      if (outcome.state !== 'sent') return outcome
      last_sent_at = isoNow(clock)
      if (!message.silent) deliveries.expect(idOf(message, since))
      return outcome
    },
    // An empty list would say that the phone has no SIM.
    networks: () =>
      Promise.resolve(knows_sims ? snapshot(sims, isoNow(clock)) : { wifi: null, mobile: null }),
    telemetry: () => api.battery(),
    configure: ({ sim }) => void (simNumber = sim === undefined ? undefined : Number(sim)),
    radio: () => ({ ...state, last_sent_at }),
    async close() {
      closing.abort()
      stopLooking.stop()
      deliveryWatch.stop()
      await sending
      await webhooks?.close()
    },
  }
}

/** The app reports its SIMs, but no signal, network type or WiFi. */
function snapshot(sims: readonly Sim[], captured_at: string): Networks {
  return {
    wifi: null,
    mobile: {
      intensity: null,
      captured_at,
      sims: sims.map(({ simNumber, slotIndex, carrierName, phoneNumber, iccid }) => ({
        id: simNumber,
        slot: slotIndex,
        carrier: carrierName || null,
        operator_name: carrierName || null,
        phone_number: phoneNumber || null,
        iccid: iccid || null,
        roaming: null,
        network_type_label: null,
      })),
    },
  }
}
