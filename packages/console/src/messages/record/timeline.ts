import type { LogEntry } from '@sdd/contract/insight/log.ts'
import type { AttemptDetail } from '@sdd/contract/messages/outcomes.ts'
import { record as words } from './text.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { attemptFactsOf } from '#console/messages/outcomes/outcomes.ts'
import { waiting } from '#console/messages/waiting/text.ts'

export type TimelineStep = {
  label: string
  at: string | undefined
  detail: string | undefined
  tone: 'ok' | 'bad' | 'open'
  /** The device of an attempt. */
  device?: string | undefined
  /** The steps of an attempt. */
  steps?: TimelineStep[]
}

type Row = Partial<LogEntry> & Record<string, unknown>

/**
 * The steps of a message in chronological order; a step without a time keeps its usual place. Takes a row of the log,
 * or a full record. If the record has the facts of attempts, each attempt contains its own steps.
 */
export function timelineOf(row: Row): TimelineStep[] {
  const attempts = attemptsOf(row)
  const nested = attempts.some(({ steps }) => steps !== undefined)
  const happened: (TimelineStep | undefined)[] = [
    step(words.steps.queued, row.queue_timestamp, undefined),
    ...attempts,
    ...(nested ? [] : reportedSteps(row)),
    step(words.steps.replied, row.answer_3_timestamp, quoted(row.answer_3)),
    step(words.steps.failed, row.error_timestamp, failureOf(row), 'bad'),
  ]
  const steps = present(happened)
  const detail = waiting.sentence(row)
  return detail ? [...steps, { label: words.waits, at: undefined, detail, tone: 'open' }] : steps
}

/** The steps that the fields of the row name. They are those of its latest attempt. */
function reportedSteps(row: Row): (TimelineStep | undefined)[] {
  return [
    step(words.steps.handed, row.handed_timestamp, undefined),
    step(words.steps.sent, row.answer_sent_timestamp, unlessPlain(row.anwer_sent, 'sent')),
    step(words.steps.delivered, row.answer_2_timestamp, unlessPlain(row.answer_2, 'delivered')),
  ]
}

/** The record's `attempt_1`, `attempt_2`, …, each with its time. */
function attemptsOf(row: Row): TimelineStep[] {
  const said = Object.entries(row).flatMap(([name, value]) => {
    const [, n] = /^attempt_(\d+)$/.exec(name) ?? []
    return n && typeof value === 'string' ? [{ n, value }] : []
  })
  return said.map(({ n, value }, index) => {
    const facts = attemptFactsOf(row, n)
    if (facts) return attemptStep(n, facts, index === said.length - 1 ? row : undefined)
    const [given, at] = / · given (\d{4}-\S+Z)/.exec(value) ?? []
    const detail = outcomes.attempt(given ? value.replace(given, '') : value, undefined)
    const tone = /(^| · )(failed|undelivered)( ·|$)/.test(value) ? 'bad' : 'ok'
    return { label: words.attempt(n), at, detail, tone }
  })
}

/** `row` is the message's row if this is its latest attempt. The row may be newer than the facts. */
function attemptStep(n: string, facts: AttemptDetail, row: Row | undefined): TimelineStep {
  const { device, sim, state, delivered_at } = facts
  const undelivered = state === 'undelivered'
  const steps = present([
    step(words.steps.handed, facts.accepted_at ?? row?.handed_timestamp, undefined),
    step(words.steps.sent, facts.sent_at ?? row?.answer_sent_timestamp, unlessPlain(row?.anwer_sent, 'sent')),
    undelivered
      ? { ...bare(words.steps.undelivered, 'bad'), at: delivered_at ?? row?.answer_2_timestamp ?? undefined }
      : step(
          words.steps.delivered,
          delivered_at ?? row?.answer_2_timestamp,
          unlessPlain(row?.answer_2, 'delivered'),
        ),
    // The failure of the message itself is its last step.
    state === 'failed' && !row?.error
      ? { ...bare(words.steps.attemptFailed, 'bad'), detail: whyOf(facts) }
      : undefined,
  ])
  const failed = undelivered || state === 'failed'
  return {
    label: words.attempt(n),
    at: facts.given_at,
    detail: sim === null ? undefined : words.sim(sim),
    tone: failed ? 'bad' : 'ok',
    device,
    steps,
  }
}

/** Why the message failed, with the words of its last device if the sentence does not contain them. */
function failureOf(row: Row): string | undefined {
  const failure = outcomes.failure(row)
  const details = row['attempt_details'] as AttemptDetail[] | undefined
  const detail = details?.at(-1)?.detail
  const isTold = !detail || !row.error || failure?.includes(detail)
  return isTold ? failure : [failure, outcomes.quoted(detail)].filter(Boolean).join(' · ')
}

function whyOf({ code, detail }: AttemptDetail): string | undefined {
  return (
    [code && outcomes.cause(code), detail && outcomes.quoted(detail)].filter(Boolean).join(' · ') || undefined
  )
}

function step(
  label: string,
  at: string | null | undefined,
  detail: string | null | undefined,
  tone: TimelineStep['tone'] = 'ok',
): TimelineStep | undefined {
  if (!at && !detail) return undefined
  return { label, at: at ?? undefined, detail: detail || undefined, tone }
}

function bare(label: string, tone: TimelineStep['tone']): TimelineStep {
  return { label, at: undefined, detail: undefined, tone }
}

function present(steps: readonly (TimelineStep | undefined)[]): TimelineStep[] {
  return steps.filter((one): one is TimelineStep => one !== undefined)
}

/** An answer that only repeats the name of its step says nothing. */
function unlessPlain(answer: string | null | undefined, plain: string): string | undefined {
  return answer === plain ? undefined : quoted(answer)
}

function quoted(said: string | null | undefined): string | undefined {
  return said ? outcomes.quoted(said) : undefined
}
