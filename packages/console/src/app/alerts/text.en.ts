import type { AlertCondition } from '@sdd/contract/outward/alerts.ts'

export const openAlerts = {
  title: 'Alerts',
  open: (count: string) => `${count} open`,
  label: (count: string) => `Alerts: ${count} open`,
  arrived: (title: string) => `New alert: ${title}`,
  arrivedSeveral: (count: number) => `${count} new alerts`,

  one: {
    device_away: (name: string) => `${name} disconnected`,
    radio_not_ready: (name: string) => `${name}: radio not ready`,
    device_quarantined: (name: string) => `${name} in quarantine`,
    failure_rate: (name: string) => `Messages of ${name} fail`,
    queue_age: (name: string) => `Queue of ${name} does not move`,
    daily_limit_used: (name: string) => `Daily limit of ${name}`,
    plan_used: (name: string) => `Plan of SIM ${name}`,
    sim_expires: (name: string) => `Validity of SIM ${name}`,
    balance_low: (name: string) => `Low balance: SIM ${name}`,
    webhook_failing: (name: string) => `Webhook does not answer: ${name}`,
    backup_age: () => 'Old backup',
    disk_short: () => 'Disk almost full',
    certificate_expires: () => 'Certificate about to expire',
  } satisfies Record<AlertCondition, (name: string) => string>,
  several: {
    device_away: (count: number) => `${count} devices disconnected`,
    radio_not_ready: (count: number) => `${count} devices whose radio is not ready`,
    device_quarantined: (count: number) => `${count} devices in quarantine`,
    failure_rate: (count: number) => `Messages of ${count} devices fail`,
    queue_age: (count: number) => `${count} queues do not move`,
    daily_limit_used: (count: number) => `Daily limits of ${count} devices`,
    plan_used: (count: number) => `Plans of ${count} SIMs`,
    sim_expires: (count: number) => `Validity of ${count} SIMs`,
    balance_low: (count: number) => `${count} SIMs with a low balance`,
    webhook_failing: (count: number) => `${count} webhooks do not answer`,
    backup_age: () => 'Old backup',
    disk_short: () => 'Disk almost full',
    certificate_expires: () => 'Certificate about to expire',
  } satisfies Record<AlertCondition, (count: number) => string>,

  failed: (failed: string, over: string) => `${failed} of the last ${over} messages`,
  oldest: (since: string) => `a message has been waiting ${since}`,
  sent: (sent: string, limit: string) => `${sent} of ${limit} SMS today`,
  used: {
    parts: (used: string, limit: string) => `${used} of ${limit} parts`,
    recipients: (used: string, limit: string) => `${used} of ${limit} recipients`,
  },
  validUntil: (day: string) => `valid until ${day}`,
  noCredit: 'no credit',
  tries: (count: string) => `${count} tries in a row failed`,
  noBackup: 'there is none yet',
  lastBackup: (at: string) => `the last one is from ${at}`,
  free: (mib: string) => `${mib} MiB left`,
  expires: (at: string) => `expires at ${at}`,

  since: (at: string) => `since ${at}`,
  sinceDay: (at: string) => `since ${at}`,
  waiting: (count: number, more: boolean) =>
    count === 0
      ? 'nothing waits'
      : count === 1
        ? '1 message waits'
        : `${count}${more ? ' or more' : ''} messages wait`,
  others: (count: number) => `and ${count} more`,
  told: (names: string) => `Told: ${names}`,
  lost: (name: string, why: string) => `Not told: ${name}${why && ` (${why.replace(/\.$/, '')})`}`,
  toTell: (names: string) => `Still to be told: ${names}`,
  nobody: 'Nobody is told',
  toldAt: (at: string) => `Told at ${at}`,
  goneChannel: 'a deleted channel',

  acknowledge: 'Acknowledge',
  acknowledgeNamed: (title: string) => `Acknowledge: ${title}`,
  acknowledgeAll: 'Acknowledge all',
  acknowledgedBy: (name: string, at: string) => `Acknowledged: ${name}, ${at}`,
  acknowledgeFailed: 'It could not be acknowledged.',
  over: (at: string) => `Resolved: ${at}`,

  resolved: 'Resolved',
  noneOpen: 'Nothing is open.',
  lastOne: (ago: string) => `The last one, ${ago}.`,
  none: 'There have not been any yet.',
  unwatched: 'Nothing is watched yet: add a rule.',
  span: (from: string, to: string, length: string) => `${from} – ${to}, ${length}`,
  more: 'More resolved ones',
  rules: 'Rules',
  failedLoad: 'The alerts could not be loaded.',
  failedResolved: 'The resolved ones could not be loaded.',
}
