import type { AlertBody, AlertCondition, AlertEvent, AlertSubject } from '@sdd/contract/outward/alerts.ts'

const titles: Record<AlertCondition, string> = {
  device_away: 'device disconnected',
  radio_not_ready: 'radio not ready',
  device_quarantined: 'device in quarantine',
  failure_rate: 'messages fail',
  queue_age: 'messages wait too long',
  daily_limit_used: 'daily limit used',
  plan_used: 'plan of a SIM used',
  sim_expires: 'SIM expires',
  balance_low: 'balance low',
  webhook_failing: 'webhook fails',
  backup_age: 'backup too old',
  disk_short: 'disk nearly full',
  certificate_expires: 'certificate expires',
}

const heads = { opened: 'Alert', resolved: 'Resolved', repeated: 'Still open' } as const

const MOST_NAMED = 5

/** An English text for people. One alert has its detail; of several, the first five are named. */
export function alertText(
  event: AlertEvent,
  condition: AlertCondition,
  about: readonly { subject: AlertSubject; detail: string }[],
): string {
  const head = `${heads[event]}: ${titles[condition]}`
  const [first] = about
  if (about.length === 1)
    return `${head}: ${called(first!.subject)}${event === 'resolved' ? '' : `. ${first!.detail}`}`
  const names = about.slice(0, MOST_NAMED).map(({ subject }) => called(subject))
  const more = about.length > MOST_NAMED ? ` and ${about.length - MOST_NAMED} more` : ''
  return `${head} (${about.length}): ${names.join(', ')}${more}`
}

/** The text without the sentence about a single alert. */
export function alertTitle({ text, count, alerts: [first] }: AlertBody): string {
  const detail = `. ${first?.detail}`
  return count === 1 && text.endsWith(detail) ? text.slice(0, -detail.length) : text
}

function called({ kind, id, name }: AlertSubject): string {
  if (kind === 'installation') return 'this server'
  if (kind === 'device' || kind === 'sim') return name === null ? id : `${name} (${id})`
  return name ?? id
}
