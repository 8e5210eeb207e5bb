import type { Report } from '@sdd/contract/fleet/device-protocol.ts'
import { instant } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Event } from './events.ts'
import { end, hearReport, latest, type Message } from './model.ts'
import type { Play } from './playing.ts'

/** Sends reports of one attempt to the real rules and to the model. */
export async function report(
  play: Play,
  name: Parameters<Play['link']>[0],
  message: Message,
  attempt: number,
  states: Extract<Event, { kind: 'answer' }>['states'],
  how: Omit<Extract<Event, { kind: 'report' }>, 'kind' | 'device' | 'message' | 'attempt' | 'state'>,
): Promise<void> {
  const { device, from } = play.devices.get(name)!
  const now_ms = play.clock.now()
  const reports = states.map((state) => asReport(message.guid, attempt, { state, ...how }, now_ms))
  await play.world.reports(from, reports)
  const meant = play.find(device.company, message.guid)
  const at_ms = now_ms - how.age_ms
  for (const one of reports) hearReport(meant, play.companyOf(device), device, { ...one, at_ms }, now_ms)
}

export function add(
  { messages, clock }: Play,
  message: Pick<
    Message,
    'guid' | 'company' | 'task' | 'to' | 'sim' | 'parts' | 'due_ms' | 'expires_ms' | 'device'
  >,
): void {
  messages.push({
    ...message,
    queued_ms: clock.now(),
    not_before_ms: message.due_ms,
    state: 'queued',
    undelivered: false,
    step: 'waiting',
    accepted: false,
    heard: new Set(),
    replied: false,
    discarded: false,
    avoid: undefined,
    attempts: [],
  })
}

/** Waiting messages end; devices are told to drop messages that they have not accepted. */
export function blockNumber({ messages, companies, clock }: Play, company: number, number: string): void {
  const { blocked } = companies[company as 1 | 2]
  if (blocked.has(number)) return
  blocked.add(number)
  for (const message of messages) {
    if (message.company !== company || message.to !== number || message.step === 'finished') continue
    if (message.step === 'waiting') end(message, 'failed')
    else if (!message.accepted) {
      message.discarded = true
      latest(message)!.drop_ms = clock.now()
    }
  }
}

export function nth({ messages }: Play, place: number): Message | undefined {
  return messages[messages.length - 1 - (place % messages.length)]
}

export function withoutUrls(world: Play['world']) {
  return { ...world.needs, urlCheck: undefined as never }
}

export async function refusable<T extends object>(work: Promise<T>): Promise<T | { refused: string }> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.code }
    throw error
  }
}

/** A device's report as the real rules expect it. */
function asReport(
  guid: string,
  attempt: number,
  { state, code, block, parts, age_ms }: Pick<Report, 'state'> & Record<string, unknown> & { age_ms: number },
  now_ms: number,
): Report {
  const failed = state === 'failed' || state === 'undelivered'
  return {
    guid,
    attempt,
    state,
    at: instant(now_ms - age_ms),
    ...(failed && ({ code, block, parts } as Partial<Report>)),
  }
}
