import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { HOUR, MINUTE, SECOND } from '#test/clock.ts'

/**
 * An independent model of the contract's rules for messages, devices and their exchanges: no tables, counters or
 * indexes. It does not choose a device; it says which choices are forbidden, and what each event must cause.
 */
export type Device = {
  id: number
  uid: string
  company: number
  linked: boolean
  connected: boolean
  enabled: boolean
  /** It has the tag of the route. */
  tagged: boolean
  limit: number
  sims: Set<string>
  given_ms: number
  failures: number
  quarantines: number
  quarantined_until_ms: number | undefined
  inbox: Received[]
}

/** An SMS that a device received: its time by the device's clock, and its arrival here. */
type Received = { from: string; at_ms: number; received_ms: number; answers: boolean }

type Attempt = {
  device: Device
  /** SMS that count against the device's limit on this day. */
  parts: number
  day: string
  given_ms: number
  said: Set<Report['state']>
  over: boolean
  again_ms: number
  /** When the device is next told to drop it. */
  drop_ms: number | undefined
}

export type Message = {
  guid: string
  company: number
  task: boolean
  to: string
  sim: string | undefined
  parts: number
  queued_ms: number
  due_ms: number
  not_before_ms: number
  expires_ms: number
  state: MessageState
  undelivered: boolean
  step: 'waiting' | 'given' | 'finished'
  /** For an SMS of the console, its device. For a task, the device that has it. */
  device: Device | undefined
  accepted: boolean
  /** The network's reports: that it accepted the message, and the outcome. */
  heard: Set<'sent' | 'delivered' | 'undelivered'>
  replied: boolean
  discarded: boolean
  avoid: Device | undefined
  attempts: Attempt[]
}

export type Company = {
  sending: boolean
  pace_ms: number
  blocked: Set<string>
  /** What its route says of devices without the tag. */
  route: 'any' | 'wait' | 'none'
}

/** Tasks to these numbers have a route. */
export const ROUTED = '+3460000101'

const RANK = {
  queued: 0,
  handed: 1,
  expired: 2,
  cancelled: 2,
  uncertain: 3,
  failed: 4,
  sent: 5,
  undelivered: 6,
  delivered: 7,
  replied: 8,
}

export const AGAIN_MS = 30 * SECOND
const RETRY_AFTER_MS = [10 * SECOND, 60 * SECOND]
const QUARANTINE_MS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR]

export function rankOf({ state, undelivered }: Pick<Message, 'state' | 'undelivered'>): number {
  return RANK[state === 'failed' && undelivered ? 'undelivered' : state]
}

export function raise(message: Message, state: MessageState, undelivered = false): void {
  if (rankOf({ state, undelivered }) <= rankOf(message)) return
  message.state = state
  message.undelivered = undelivered
}

export function latest(message: Message): Attempt | undefined {
  return message.attempts.at(-1)
}

export function openOn(messages: readonly Message[], device: Device): number {
  return attemptsOn(messages, device).filter(({ over }) => !over).length
}

export function reservedOn(messages: readonly Message[], device: Device, day: string): number {
  return attemptsOn(messages, device).reduce((sum, one) => sum + (one.day === day ? one.parts : 0), 0)
}

function attemptsOn(messages: readonly Message[], device: Device): Attempt[] {
  return messages.flatMap(({ attempts }) => attempts.filter((attempt) => attempt.device === device))
}

/** The effects of a device's report. Only a report about a message that this device was handed counts. */
export function hearReport(
  message: Message | undefined,
  company: Company,
  device: Device,
  report: Pick<Report, 'state' | 'code' | 'block' | 'parts'> & { attempt: number; at_ms: number },
  now_ms: number,
): void {
  if (!message) return
  // A device answers "drop it" without an attempt number.
  const told = message.attempts.find((one) => one.device === device && !one.over && one.drop_ms !== undefined)
  const attempt = (report.code === 'cancelled' && told) || message.attempts[report.attempt - 1]
  if (attempt?.device !== device) return
  if (report.state === 'failed' && attempt.said.has('failed'))
    return hearParts(message, attempt, report, now_ms)
  if (attempt.said.has(report.state)) return
  const { said } = attempt
  if (report.state === 'undelivered' && said.has('delivered')) return
  if (report.state === 'failed' && [...said].some((state) => state !== 'accepted')) return
  said.add(report.state)
  const current = attempt === latest(message) && message.step !== 'waiting'
  if (report.state === 'accepted') {
    if (!current) return
    message.accepted = true
    raise(message, 'handed')
    return
  }
  const ends = !attempt.over
  attempt.over = true
  if (report.state === 'failed') hearFailure(message, company, attempt, report, { current, ends, now_ms })
  else {
    const before = rankOf(message)
    attempt.parts = message.parts
    raise(message, report.state === 'undelivered' ? 'failed' : report.state, report.state === 'undelivered')
    // A late report of an earlier attempt: the current device must drop the message.
    const last = latest(message)!
    if (!current && rankOf(message) > before) {
      if (!last.over) last.drop_ms = now_ms
      message.device = device
    }
    message.step = 'finished'
    hearReply(message, attempt, report.state, Math.min(report.at_ms, now_ms))
  }
  if (ends) judge(device, report, now_ms)
}

/** An SMS from the recipient that arrived before the message's `sent` report answers it after all. */
function hearReply(
  message: Message,
  { device, given_ms }: Attempt,
  state: 'sent' | 'delivered' | 'undelivered',
  at_ms: number,
): void {
  const { heard, to } = message
  const news = state === 'delivered' ? !heard.has(state) : heard.isDisjointFrom(AMOUNTS_TO[state])
  heard.add(state)
  if (!news || message.replied) return
  const replies = device.inbox.filter(
    (sms) => sms.from === to && !sms.answers && sms.received_ms >= given_ms && sms.at_ms >= at_ms,
  )
  for (const sms of replies) sms.answers = true
  if (replies.length === 0) return
  message.replied = true
  raise(message, 'replied')
}

/** A second failure counts only if it says that parts went on air, after which no device may send the message again. */
function hearParts(
  message: Message,
  attempt: Attempt,
  { code, parts }: Pick<Report, 'code' | 'parts'>,
  now_ms: number,
): void {
  const only_failed =
    !attempt.said.has('sent') && !attempt.said.has('delivered') && !attempt.said.has('undelivered')
  if (!parts || message.step === 'finished' || !only_failed) return
  const last = latest(message)!
  if (!last.over) last.drop_ms = now_ms
  attempt.parts = Math.max(attempt.parts, Math.min(parts, message.parts))
  message.device = attempt.device
  message.state = code === 'unknown_outcome' ? 'uncertain' : 'failed'
  message.step = 'finished'
}

const AMOUNTS_TO = { sent: new Set(['sent']), undelivered: new Set(['delivered', 'undelivered']) } as const

function hearFailure(
  message: Message,
  { blocked }: Company,
  attempt: Attempt,
  { code, block, parts }: Pick<Report, 'code' | 'block' | 'parts'>,
  { current, ends, now_ms }: { current: boolean; ends: boolean; now_ms: number },
): void {
  if (code !== 'unknown_outcome') attempt.parts = Math.min(attempt.parts, parts ?? 0)
  if (!current) return
  const retry_ms = RETRY_AFTER_MS[message.attempts.length - 1]
  const passing = ['no_network', 'modem_error', 'timeout'].includes(code ?? '') && !block
  const wanted = !message.discarded && attempt.drop_ms === undefined && !blocked.has(message.to)
  const inTime = retry_ms !== undefined && now_ms + retry_ms < message.expires_ms
  if (ends && message.task && message.step === 'given' && passing && !parts && wanted && inTime) {
    Object.assign(message, { state: 'queued', step: 'waiting', device: undefined, accepted: false })
    message.due_ms = now_ms + retry_ms
    message.avoid = attempt.device
    return
  }
  const dropped = !parts && (code === 'cancelled' || code === 'expired')
  const state = code === 'unknown_outcome' ? 'uncertain' : dropped ? code : 'failed'
  // Settles an uncertain message: it did not go out.
  if (message.state === 'uncertain' || rankOf({ state, undelivered: false }) > rankOf(message))
    message.state = state === 'cancelled' && blocked.has(message.to) ? 'failed' : state
  message.step = 'finished'
}

/** After five failures in a row the device gets no tasks for a while, then one at a time until one succeeds. */
function judge(
  device: Device,
  { state, code, block }: Pick<Report, 'state' | 'code' | 'block'>,
  now_ms: number,
) {
  if (state !== 'failed') forget(device)
  else if (device.linked && !block && code !== 'cancelled' && code !== 'expired') {
    device.failures++
    const until_ms = device.quarantined_until_ms
    if (until_ms === undefined ? device.failures < 5 : until_ms > now_ms) return
    device.quarantined_until_ms = now_ms + QUARANTINE_MS[Math.min(device.quarantines++, 4)]!
  }
}

export function forget(device: Device): void {
  Object.assign(device, { failures: 0, quarantines: 0, quarantined_until_ms: undefined })
}

/** Ends a message without a report; its device then no longer has it. */
export function end(message: Message, state: MessageState): void {
  raise(message, state)
  message.step = 'finished'
  const attempt = latest(message)
  if (attempt && !attempt.over) Object.assign(attempt, { over: true, drop_ms: undefined })
}

/** The effects of time on the dispatcher's rounds: expiry, silence, and the end of drop commands. */
export function passTime(messages: readonly Message[], now_ms: number): void {
  for (const message of messages) {
    if (message.step !== 'finished') {
      if (!message.accepted && message.expires_ms <= now_ms) end(message, 'expired')
      if (message.accepted && message.expires_ms + HOUR <= now_ms) end(message, 'uncertain')
    }
    for (const attempt of message.attempts) {
      const { drop_ms = Infinity, over, device } = attempt
      if (over || drop_ms > now_ms || !device.connected) continue
      if (message.step === 'finished' && message.expires_ms <= now_ms)
        Object.assign(attempt, { over: true, drop_ms: undefined })
    }
  }
}
