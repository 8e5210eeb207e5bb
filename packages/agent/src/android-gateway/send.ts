import { createHash } from 'node:crypto'
import { UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { type Clock, sleep } from '#agent/clock.ts'
import { failed, type Outcome, type Outgoing, type SendProgress } from '#agent/driver.ts'
import { type Api, GatewayError, type Message } from './api.ts'

type SendNeeds = {
  api: Pick<Api, 'send' | 'message' | 'cancel'>
  clock: Clock
  /** The SIM to send from, 1 to 3; the app chooses if it is undefined. */
  simNumber: number | undefined
  /** Keeps the ids of this device's messages apart from those of other devices. */
  salt: string
  closing: AbortSignal
}

/** The app drops the message if it cannot hand it to Android within this time, or before it expires. */
const TTL_SECS = 300
/** Android must report an outcome within this time: it retries while the network is bad. */
const OUTCOME_WITHIN_MS = (TTL_SECS + 120) * 1_000
const LOOK_EVERY_MS = 1_000
/** How long the phone may be unreachable before the app's answer is given up. */
const UNHEARD_MS = 60_000

/** The beginning of the ids of this device's messages. */
function prefixOf(salt: string): string {
  return `sdd-${hashOf(salt).slice(0, 6)}-`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** At most 36 characters, and the same for the same attempt: the app accepts each id once. */
export function idOf({ guid, attempt }: Pick<Outgoing, 'guid' | 'attempt'>, salt: string): string {
  return prefixOf(salt) + hashOf(`${salt} ${guid} ${attempt}`).slice(0, 25)
}

export function isOurs(id: string, salt: string): boolean {
  return id.startsWith(prefixOf(salt))
}

/** Hands the message to the app, and polls until it is sent or has failed. */
export async function sendSms(needs: SendNeeds, message: Outgoing, progress: SendProgress): Promise<Outcome> {
  const { api, clock, simNumber, salt } = needs
  const { to, text, silent } = message
  const id = idOf(message, salt)
  try {
    await progress.onAir()
  } catch (error) {
    return failed('modem_error', `Not sent: ${(error as Error).message}`)
  }
  try {
    const sim = simNumber === undefined ? {} : { simNumber }
    const asked = { id, text, to, withDeliveryReport: !silent, ...sim }
    await handOver(needs, () => api.send({ ...asked, ttl: ttlOf(message, clock) }), id)
  } catch (error) {
    const { status, unheard, message } = error as GatewayError
    if (unheard) return failed('no_network', `Not sent: ${message}`)
    if (status !== undefined && status < 500) return failed('modem_error', `Not sent: ${message}`)
    return failed(UNKNOWN_OUTCOME, `It is unknown whether the phone took it: ${message}`)
  }
  return watchOutcome(needs, message, id, progress)
}

/** The app refuses a message without any time left. */
function ttlOf({ expires_at }: Outgoing, clock: Pick<Clock, 'now'>): number {
  const left_ms = expires_at === undefined ? Infinity : Date.parse(expires_at) - clock.now()
  return Math.min(TTL_SECS, Math.max(1, Math.floor(left_ms / 1_000)))
}

/**
 * A lost answer is no reason to give up: the app can be asked whether it has the message, and accepts it only once. After
 * a lost answer, no refusal and no unreachable phone proves that the app does not have it.
 */
async function handOver(
  { api, clock, closing }: SendNeeds,
  send: () => Promise<void>,
  id: string,
): Promise<void> {
  const until = clock.uptime() + UNHEARD_MS
  let lost = false
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      if (error.status === 409) return
      lost ||= (error.status === undefined && !error.unheard) || (error.status ?? 0) >= 500
      if (!lost) throw error
      if (closing.aborted || clock.uptime() >= until) throw new GatewayError(error.message)
      await sleep(clock, LOOK_EVERY_MS, closing)
      if (await api.message(id).catch(() => undefined)) return
    }
  }
}

async function watchOutcome(
  { api, clock, closing }: SendNeeds,
  { text, silent }: Outgoing,
  id: string,
  progress: SendProgress,
): Promise<Outcome> {
  const until = clock.uptime() + OUTCOME_WITHIN_MS
  const parts = measureText(text).segments
  while (clock.uptime() < until && !closing.aborted) {
    const found = await api.message(id).catch(() => undefined)
    if (found?.state === 'Sent' || found?.state === 'Delivered') {
      await progress.partSent({ n: 1, of: 1, reference: silent ? null : id })
      return { state: 'sent', parts }
    }
    if (found?.state === 'Failed' || found?.state === 'Cancelled') return failureOf(found, parts)
    await sleep(clock, LOOK_EVERY_MS, closing)
  }
  if (await api.cancel(id)) return failed('timeout', 'The app did not send it in time, and has dropped it')
  return failed(UNKNOWN_OUTCOME, 'The app took it but did not report an outcome')
}

/** Android's result codes of SmsManager, as the app spells them. */
const NO_SERVICE = /RADIO_OFF|NO_SERVICE|RADIO_NOT_AVAILABLE|NETWORK_ERR|NETWORK_NOT_READY|TTL expired/
const FOR_GOOD = /FDN_CHECK|SHORT_CODE_NEVER|INVALID_ARGUMENTS|SIM \d+ not found/
/** The app gave up before it handed the message to Android. */
const NEVER_HANDED = /^(TTL expired|Can't send message|sendSMS)/

function failureOf({ state, recipients }: Message, parts: number): Outcome {
  const reason =
    recipients.find(({ error }) => error)?.error ??
    (state === 'Cancelled' ? 'It was cancelled on the phone' : '')
  if (parts > 1 && state === 'Failed' && !NEVER_HANDED.test(reason)) {
    return failed(UNKNOWN_OUTCOME, `Some of its parts may have gone out: ${reason}`)
  }
  const code = state === 'Cancelled' ? 'cancelled' : NO_SERVICE.test(reason) ? 'no_network' : 'modem_error'
  return failed(code, reason || 'The phone could not send it, and does not say why', FOR_GOOD.test(reason))
}
