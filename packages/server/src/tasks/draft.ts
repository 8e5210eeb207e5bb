import { randomUUID } from 'node:crypto'
import type { Country } from '@sdd/contract/core/countries.ts'
import { MAX_SEGMENTS } from '@sdd/contract/messages/messages.ts'
import { NewTask } from '@sdd/contract/tasks/tasks.ts'
import type { MessageClass } from '@sdd/contract/core/fields.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { DAY_MS, instant, MINUTE_MS, utc } from '#server/core/clock.ts'
import { numberFault } from '#server/accounts/settings/numbers.ts'
import { fault } from '#server/core/field-faults.ts'
import type { Fault, Faults } from '#server/core/refusal.ts'
import { parse } from '#server/core/http/request.ts'
import { CLASS_PRIORITY, classOf } from '#server/messages/messages/classes.ts'

/** A task as submitted, by the columns of its row. Times are in UTC. */
export type Draft = {
  guid: string
  message_to: string
  message: string
  /** The number of SMS segments. */
  parts: number
  from_number: string | null
  silent: 0 | 1
  /** By its class. */
  priority: number
  sent_stamp: string | null
  not_before: string | null
  expires_at: string | null
  callback_url: string | null
  /** The two times above as the caller gave them; null if neither was given. */
  asked_times: string | null
}

/** A task without `expires_at` expires this long after it may be sent. */
const LIFETIME_MS = DAY_MS
const CODE_LIFETIME_MS = 10 * MINUTE_MS
/** No task may wait longer. */
const HORIZON_MS = 366 * DAY_MS

/** Parses a task from another system, or reports the faults by field. */
export function readDraft(written: unknown, reading: Reading): DraftOrFaults {
  const { value: task, faults } = parse(NewTask, written, { whole: 'task' })
  return faults ? { faults } : draftOf(task, reading)
}

/** Reads numbers as the submitter's company writes them. `usual` is the class of a task that names none. */
export type Reading = { country: Country; kept(written: string): string | undefined; usual: MessageClass }

export type DraftOrFaults = { draft: Draft; faults?: never } | { faults: Faults; draft?: never }

/** The same for a task with parsed fields. */
export function draftOf(task: NewTask, { country, kept, usual }: Reading): DraftOrFaults {
  const message_to = kept(task.to_number)
  if (message_to === undefined) return { faults: { to_number: numberFault(country) } }
  const from_number = task.from_number ? kept(task.from_number) : null
  if (from_number === undefined) return { faults: { from_number: numberFault(country) } }
  const { segments } = measureText(task.text)
  const not_before = utc(task.not_before)
  const expires_at = utc(task.expires_at)
  if (segments > MAX_SEGMENTS) return { faults: { text: tooLong(segments) } }
  if (not_before !== null && expires_at !== null && not_before >= expires_at) {
    const why = 'must be before expires_at'
    return { faults: { not_before: fault(why, 'out_of_range', { min: null, max: expires_at }) } }
  }
  const draft: Draft = {
    guid: task.guid ?? randomUUID(),
    message_to,
    message: task.text,
    parts: segments,
    from_number,
    silent: task.silent ? 1 : 0,
    priority: CLASS_PRIORITY[task.class ?? usual],
    sent_stamp: utc(task.sent_stamp),
    not_before,
    expires_at,
    callback_url: task.callback_url ?? null,
    asked_times:
      not_before === null && expires_at === null ? null : `${not_before ?? ''}/${expires_at ?? ''}`,
  }
  return { draft }
}

/** The time from which a device may be given the task, and its expiry, if it is stored now. */
export function readTimes(
  { not_before, expires_at, priority }: Pick<Draft, 'not_before' | 'expires_at' | 'priority'>,
  now_ms: number,
): { due_ms: number; expires_ms: number; faults?: never } | { faults: Faults } {
  const due_ms = Math.max(now_ms, not_before === null ? 0 : Date.parse(not_before))
  const lifetime_ms = classOf({ priority }) === 'code' ? CODE_LIFETIME_MS : LIFETIME_MS
  const expires_ms = expires_at === null ? due_ms + lifetime_ms : Date.parse(expires_at)
  if (expires_ms > now_ms && expires_ms <= now_ms + HORIZON_MS) return { due_ms, expires_ms }
  const bounds = { min: instant(now_ms), max: instant(now_ms + HORIZON_MS) }
  if (expires_ms <= now_ms)
    return { faults: { expires_at: fault('has passed already', 'out_of_range', bounds) } }
  const far = fault('lies more than a year ahead', 'out_of_range', bounds)
  return { faults: { [expires_at === null ? 'not_before' : 'expires_at']: far } }
}

function tooLong(segments: number): Fault {
  const why = `takes ${segments} SMS; ${MAX_SEGMENTS} is the most`
  return fault(why, 'too_many_segments', { segments, max: MAX_SEGMENTS })
}
