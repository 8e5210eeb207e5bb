import { UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import type { Random, Range } from '#simulator/random.ts'

/** How a device and the network around it behave when nothing goes wrong in transport. Shares are 0..1. */
export type Behaviour = {
  /** Radio time of one SMS part. A device sends one message at a time. */
  send_ms: Range
  /** From `sent` to the delivery report, and from there to the reply. */
  delivery_ms: Range
  reply_ms: Range
  /** Share of messages that fail with nothing on air, for a reason that may pass. */
  failing: number
  /** Share that fails for good (`block`). */
  blocked: number
  /** Share that the modem leaves without an answer (`unknown_outcome`); half of them did go on air. */
  unanswered: number
  /** Shares of those on air: refused at the far end, and never heard of again. */
  undelivered: number
  unreported: number
  /** Share of those delivered that are replied to. */
  replying: number
  /** Share of the replies that ask for no more: the server blocks who says so. */
  stopping: number
  /** Mean time between changes of its signal; 0: it never changes. */
  wobble_secs: number
  /** Back-off between tries to connect: the first, and the longest. */
  reconnect_ms: Range
}

/** As a phone on a good day. */
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

/** What the radio makes of a message: whether it went on air, and what the modem then says of it. */
export type Outcome = { on_air: boolean; failure?: Failure }

const PASSING: readonly [Failure, ...Failure[]] = [
  { code: 'no_network', detail: 'Sin cobertura', block: false },
  { code: 'modem_error', detail: '+CMS ERROR: 41', block: false },
  { code: 'timeout', detail: 'El módem no aceptó el mensaje a tiempo', block: false },
]

const LASTING: readonly [Failure, ...Failure[]] = [
  { code: 'invalid_destination', detail: 'Número de destino no válido (+CMS ERROR: 1)', block: true },
  { code: 'sim_barred', detail: 'SIM sin servicio de SMS (+CMS ERROR: 8)', block: true },
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
    const failure = { code: UNKNOWN_OUTCOME, detail: 'El módem no respondió', block: false }
    return { on_air: random.chance(0.5), failure }
  }
  return { on_air: true }
}

export function replyText(random: Random, { stopping }: Behaviour): string {
  return random.chance(stopping) ? STOP : random.pick(REPLIES)
}
