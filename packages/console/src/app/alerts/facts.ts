import type { Alert, AlertCondition, AlertSubject } from '@sdd/contract/outward/alerts.ts'
import { openAlerts as words } from './text.ts'
import { formats } from '#console/core/formats.ts'
import { formatCount } from '#console/ui/numbers.ts'
import { dayName, dayTime, hourTime, isSameDay } from '#console/ui/time.ts'

type Facts = Alert['detail_params']

/** A device or SIM with a name is followed by its id. */
export function nameOf({ kind, id, name }: AlertSubject): string {
  if (name === null || name === id) return id
  return kind === 'device' || kind === 'sim' ? `${name} (${id})` : name
}

/** The problem of one subject, or of several. */
export function titleOf(alerts: readonly Alert[]): string {
  const [first] = alerts
  const { condition } = first!.rule
  return alerts.length === 1
    ? words.one[condition](nameOf(first!.subject))
    : words.several[condition](alerts.length)
}

/** The figures behind an alert; undefined if there are none. */
export function factsOf({ rule, detail_params }: Alert): string | undefined {
  return sentences[rule.condition](detail_params)
}

/** `17:24`, or `25/11 17:24` if that was another day. */
export function momentOf(iso: string, now: number): string {
  return isSameDay(iso, now)
    ? hourTime(Date.parse(iso))
    : `${dayName(Date.parse(iso))} ${hourTime(Date.parse(iso))}`
}

export function sinceOf(iso: string, now: number): string {
  return (isSameDay(iso, now) ? words.since : words.sinceDay)(momentOf(iso, now))
}

const sentences: Record<AlertCondition, (facts: Facts) => string | undefined> = {
  device_away: () => undefined,
  radio_not_ready: ({ says }) => textIn(says) || undefined,
  device_quarantined: ({ reason }) => textIn(reason) || undefined,
  failure_rate: ({ failed, over }) => words.failed(countIn(failed), countIn(over)),
  queue_age: ({ since }) => words.oldest(sinceOf(textIn(since), Date.now())),
  daily_limit_used: ({ sent, limit }) => words.sent(countIn(sent), countIn(limit)),
  plan_used: ({ of, used, limit }) =>
    words.used[of === 'recipients' ? 'recipients' : 'parts'](countIn(used), countIn(limit)),
  sim_expires: ({ valid_until }) => words.validUntil(dayIn(valid_until)),
  balance_low: ({ amount, currency }) => {
    const figure = Number(amount).toFixed(2).replace('.', formats.decimal)
    return currency === null ? words.noCredit : `${figure} ${textIn(currency)}`
  },
  webhook_failing: ({ failures }) => words.tries(countIn(failures)),
  backup_age: ({ at }) => (at === null ? words.noBackup : words.lastBackup(dayTime(textIn(at)))),
  disk_short: ({ free }) => words.free(countIn(free)),
  certificate_expires: ({ at }) => words.expires(dayTime(textIn(at))),
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function countIn(value: unknown): string {
  return formatCount(Number(value))
}

/** A day such as `2026-11-26`, which is no instant: it is the same in every zone. */
function dayIn(day: unknown): string {
  return formats.dayOfYear(new Date(`${textIn(day)}T00:00:00`))
}
