import { UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import type { Random, Range } from '#simulator/random.ts'

/** How a device and its mobile network behave if the transport is free of faults. Shares are 0..1. */
export type Behaviour = {
  /** Radio time of one SMS part. A device sends one message at a time. */
  send_ms: Range
  /** From `sent` to the delivery report, and from there to the reply. */
  delivery_ms: Range
  reply_ms: Range
  /** Share of messages that fail temporarily, with nothing on air. */
  failing: number
  /** Share that fails permanently (`block`). */
  blocked: number
  /** Share without an answer of the modem (`unknown_outcome`); half of them did go on air. */
  unanswered: number
  /** Shares of the messages on air: undelivered, and without a delivery report. */
  undelivered: number
  unreported: number
  /** Share of the delivered messages that get a reply. */
  replying: number
  /** Share of the replies that ask to stop; the server then blocks the sender. */
  stopping: number
  /** Mean time between changes of its signal; 0: it never changes. */
  wobble_secs: number
  /** Backoff between connection attempts: the first and the longest. */
  reconnect_ms: Range
}

/** Like a phone on a good day. */
export const USUAL_BEHAVIOUR: Behaviour = {
  send_ms: [900, 2_500],
  delivery_ms: [1_500, 12_000],
  reply_ms: [8_000, 60_000],
  failing: 0.02,
  blocked: 0.01,
  unanswered: 0.003,
  undelivered: 0.02,
  unreported: 0.03,
  replying: 0.12,
  stopping: 0.14,
  wobble_secs: 180,
  reconnect_ms: [500, 30_000],
}

export type Failure = { code: string; detail: string; block: boolean }

/** The radio's outcome: whether the message went on air, and the failure that the modem reports. */
export type Outcome = { on_air: boolean; failure?: Failure }

export const NO_NETWORK: Failure = { code: 'no_network', detail: 'Sin cobertura', block: false }
export const INVALID_NUMBER: Failure = {
  code: 'invalid_destination',
  detail: 'Número de destino no válido (+CMS ERROR: 1)',
  block: true,
}
export const NO_CREDIT: Failure = {
  code: 'no_credit',
  detail: 'SIM sin saldo (+CMS ERROR: 29)',
  block: true,
}
export const NO_ANSWER: Failure = { code: UNKNOWN_OUTCOME, detail: 'El módem no respondió', block: false }

const PASSING: readonly [Failure, ...Failure[]] = [
  NO_NETWORK,
  { code: 'modem_error', detail: '+CMS ERROR: 41', block: false },
  { code: 'timeout', detail: 'El módem no aceptó el mensaje a tiempo', block: false },
]

const LASTING: readonly [Failure, ...Failure[]] = [
  INVALID_NUMBER,
  { code: 'sim_barred', detail: 'SIM sin servicio de SMS (+CMS ERROR: 8)', block: true },
  NO_CREDIT,
]

const REPLIES = [
  'Ok, gracias',
  'Recibido',
  'Sí',
  'No puedo hablar ahora',
  '¿Quién es?',
  'Perfecto 👍',
] as const
const STOP = 'BAJA'

export function outcomeOf(random: Random, behaviour: Behaviour): Outcome {
  const draw = random.next()
  const { failing, blocked, unanswered } = behaviour
  if (draw < failing) return { on_air: false, failure: random.pick(PASSING) }
  if (draw < failing + blocked) return { on_air: false, failure: random.pick(LASTING) }
  if (draw < failing + blocked + unanswered) {
    return { on_air: random.chance(0.5), failure: NO_ANSWER }
  }
  return { on_air: true }
}

export function replyText(random: Random, { stopping }: Behaviour): string {
  return random.chance(stopping) ? STOP : random.pick(REPLIES)
}
