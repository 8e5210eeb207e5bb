import { logs as words } from './text.ts'
import type { LogRow } from './log.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { attemptFactsOf } from '#console/messages/outcomes/outcomes.ts'
import { waiting } from '#console/messages/waiting/text.ts'

export type TimelineStep = {
  label: string
  at: string | undefined
  detail: string | undefined
  tone: 'ok' | 'bad' | 'open'
}

/**
 * The steps of a message in chronological order; a step without a time keeps its usual place. Takes a row of the log,
 * or a full record, which also has `attempt_1`, `attempt_2`, …
 */
export function timelineOf(row: Partial<LogRow> & Record<string, unknown>): TimelineStep[] {
  const happened: (TimelineStep | undefined)[] = [
    step(words.steps.queued, row.queue_timestamp, undefined),
    ...attemptsOf(row),
    step(words.steps.handed, row.handed_timestamp, undefined),
    step(words.steps.sent, row.answer_sent_timestamp, quoted(row.anwer_sent)),
    step(words.steps.delivered, row.answer_2_timestamp, quoted(row.answer_2)),
    step(words.steps.replied, row.answer_3_timestamp, quoted(row.answer_3)),
    step(words.steps.failed, row.error_timestamp, outcomes.failure(row), 'bad'),
  ]
  const steps = happened.filter((one): one is TimelineStep => one !== undefined)
  const detail = waiting.sentence(row)
  return detail ? [...steps, { label: words.waits, at: undefined, detail, tone: 'open' }] : steps
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

function quoted(words: string | null | undefined): string | undefined {
  return words ? outcomes.quoted(words) : undefined
}

/** The record's `attempt_1`, `attempt_2`, …, each with its time. */
function attemptsOf(row: Record<string, unknown>): TimelineStep[] {
  return Object.entries(row).flatMap(([name, said]) => {
    const [, n] = /^attempt_(\d+)$/.exec(name) ?? []
    if (!n || typeof said !== 'string') return []
    const [given, at] = / · given (\d{4}-\S+Z)/.exec(said) ?? []
    const detail = outcomes.attempt(given ? said.replace(given, '') : said, attemptFactsOf(row, n))
    const tone = /(^| · )(failed|undelivered)( ·|$)/.test(said) ? 'bad' : 'ok'
    return [{ label: words.attempt(n), at, detail, tone }]
  })
}
