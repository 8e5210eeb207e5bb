import { logs as words } from './text.ts'
import type { LogRow } from './log.ts'

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
    step(words.steps.sent, row.answer_sent_timestamp, row.anwer_sent),
    step(words.steps.delivered, row.answer_2_timestamp, row.answer_2),
    step(words.steps.replied, row.answer_3_timestamp, row.answer_3),
    step(
      words.steps.failed,
      row.error_timestamp,
      [row.error, row.error_msg].filter(Boolean).join(' · '),
      'bad',
    ),
  ]
  const steps = happened.filter((one): one is TimelineStep => one !== undefined)
  return row.waiting_for
    ? [...steps, { label: words.waits, at: undefined, detail: row.waiting_for, tone: 'open' }]
    : steps
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

/** The record's `attempt_1`, `attempt_2`, …, each in the server's words and with its time. */
function attemptsOf(row: Record<string, unknown>): TimelineStep[] {
  return Object.entries(row).flatMap(([name, said]) => {
    const [, n] = /^attempt_(\d+)$/.exec(name) ?? []
    if (!n || typeof said !== 'string') return []
    const [given, at] = / · given (\d{4}-\S+Z)/.exec(said) ?? []
    const detail = given ? said.replace(given, '') : said
    const tone = /(^| · )(failed|undelivered)( ·|$)/.test(said) ? 'bad' : 'ok'
    return [{ label: words.attempt(n), at, detail, tone }]
  })
}
