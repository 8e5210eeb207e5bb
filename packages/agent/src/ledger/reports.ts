import { PARTLY_SENT, type Report, UNKNOWN_OUTCOME } from '@sdd/contract/fleet/device-protocol.ts'
import type { DeliveryReport, Outcome } from '#agent/driver.ts'

type Attempt = Pick<Report, 'guid' | 'attempt'>

/**
 * Failures after which the server resends the message through another device. They must not follow a partly sent
 * message.
 */
const TRIED_AGAIN = ['no_network', 'modem_error', 'timeout']

export function accepted({ guid, attempt }: Attempt, at: string): Report {
  return { guid, attempt, state: 'accepted', at }
}

/** The report of the driver's outcome. `of` is the message's number of parts, if known. */
export function outcomeReport(
  { guid, attempt }: Attempt,
  outcome: Outcome,
  of: number | undefined,
  at: string,
): Report {
  const { parts, sim } = outcome
  const report = { guid, attempt, at, parts: Math.min(parts, 255), ...(sim && { sim: sim.slice(0, 64) }) }
  if (outcome.state === 'sent') return { ...report, state: 'sent' }
  const { code, detail, block } = outcome
  const failed = { ...report, state: 'failed', code: code.slice(0, 64), detail: clip(detail), block } as const
  if (parts === 0 || !TRIED_AGAIN.includes(code)) return failed
  const went_out = of ? `${parts} of ${of} parts` : `${parts} part${parts === 1 ? '' : 's'}`
  return { ...failed, code: PARTLY_SENT, detail: clip(`${went_out} went out, then: ${detail}`) }
}

/** The agent died between `sending` and the outcome. The outcome cannot be known, so the message is not sent again. */
export function diedSending({ guid, attempt }: Attempt, parts: number, at: string): Report {
  const known = parts > 0 ? `; the network took ${parts} part${parts === 1 ? '' : 's'} before` : ''
  const detail = `The agent died while it was sending, so it is unknown whether the message went out${known}`
  return { guid, attempt, state: 'failed', at, code: UNKNOWN_OUTCOME, detail, block: false, parts }
}

export function cancelled({ guid, attempt }: Attempt, at: string): Report {
  const detail = 'It was cancelled before it went on air'
  return { guid, attempt, state: 'failed', at, code: 'cancelled', detail, block: false, parts: 0 }
}

export function expired({ guid, attempt }: Attempt, expires_at: string, at: string): Report {
  const detail = `It waited for the radio until it expired at ${expires_at}`
  return { guid, attempt, state: 'failed', at, code: 'expired', detail, block: false, parts: 0 }
}

export function deliveryReport({ guid, attempt }: Attempt, delivery: DeliveryReport, now: string): Report {
  const { state, code, detail } = delivery
  return {
    guid,
    attempt,
    state: state === 'delivered' ? 'delivered' : 'undelivered',
    at: instantOr(delivery.at, now),
    ...(code && { code: code.slice(0, 64) }),
    ...(detail && { detail: clip(detail) }),
  }
}

/** A time in the contract's form, or `now` if it cannot be read. */
export function instantOr(at: string, now: string): string {
  const ms = Date.parse(at)
  return Number.isFinite(ms) ? new Date(ms).toISOString() : now
}

function clip(detail: string): string {
  return detail.slice(0, 1_000)
}
