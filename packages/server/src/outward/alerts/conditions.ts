import {
  type AlertCondition,
  type AlertSubject,
  deviceConditions,
  simConditions,
} from '@sdd/contract/outward/alerts.ts'
import type { CompanyRules } from '#server/accounts/settings/numbers.ts'
import { type Clock, DAY_MS, HOUR_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { inMaintenance } from '#server/fleet/devices/maintenance.ts'
import { hoursOfMessage } from '#server/messages/hours/closed.ts'
import { hoursAt, openMsBetween } from '#server/messages/hours/hours.ts'
import { classOf } from '#server/messages/messages/classes.ts'
import { withoutQuery } from '#server/outward/callbacks/webhooks.ts'
import type { AlertFacts } from './details.ts'
import { type Installation, findInstallation } from './installation.ts'
import type { AlertRuleRow } from './store.ts'
import { simChecks } from './sim-conditions.ts'
import { type AlertDevice, type AlertSim, alertSubjects } from './subjects.store.ts'

/** A subject for which a condition holds. */
export type Held = {
  subject: AlertSubject
  facts: AlertFacts
  /** When it began, if the database knows. */
  since_ms?: number
  paused?: boolean
}

/** A subject that still exists, and for which the condition no longer holds. */
export type Ended = {
  since_ms?: number
  paused?: boolean
  /** The device is disconnected. After a start, it may come back and report that the condition still holds. */
  away?: boolean
  /** The device has come back since the condition was looked for, and it holds. */
  again?: boolean
}

export type ConditionNeeds = {
  tx: Tx
  clock: Clock
  rules: (company_id: number) => CompanyRules
  installation: Installation
  /** A failure rate is computed for devices with a failure since then. */
  failures_from_ms: number
}

/** A device that was away may report a failure this late. */
const REPORTED_LATE_MS = HOUR_MS

/** The subjects for which the rule's condition holds now, by id. `watched`: those for which it held before. */
export async function findHeld(
  needs: ConditionNeeds,
  rule: AlertRuleRow,
  watched: readonly string[],
): Promise<Map<string, Held>> {
  const held = await conditions[rule.condition](needs, rule, watched)
  return new Map(held.map((one) => [one.subject.id, one]))
}

/** Those of these subjects that still exist, by id. The condition held for none of them just before. */
export async function findEnded(
  { tx, clock }: Pick<ConditionNeeds, 'tx' | 'clock'>,
  rule: AlertRuleRow,
  ids: readonly string[],
): Promise<Map<string, Ended>> {
  if (ids.length === 0) return new Map()
  const subjects = alertSubjects(tx, rule.company_id)
  const now = instant(clock.now())
  const { condition } = rule
  if (condition === 'webhook_failing')
    return new Map((await subjects.webhooks(ids.map(Number))).map(({ id }) => [String(id), {}]))
  if (simConditions.includes(condition)) {
    const sims = (await subjects.simsOf(ids)).filter((sim) => isChosen(rule, sim))
    return new Map(sims.map((sim) => [sim.iccid, { paused: inMaintenance(sim, now) }]))
  }
  if (!deviceConditions.includes(condition) && rule.rate_of !== 'device')
    return new Map(ids.map((id) => [id, {}]))
  const devices = (await subjects.devices(ids)).filter((device) => isChosen(rule, device))
  return new Map(
    devices.map((device) => [
      device.uid,
      {
        paused: inMaintenance(device, now),
        away: device.status === 'disconnected',
        again: condition === 'radio_not_ready' && device.status === 'connected' && device.radio_ready === 0,
        ...(condition === 'device_away' && { since_ms: Date.parse(device.status_at) }),
      },
    ]),
  )
}

type Find = (needs: ConditionNeeds, rule: AlertRuleRow, watched: readonly string[]) => Promise<Held[]>

const conditions: Record<AlertCondition, Find> = {
  device_away: async (needs, rule) =>
    devicesOf(needs, rule, await subjectsOf(needs, rule).away(), (device) => {
      const since = device.status_at > device.enabled_at ? device.status_at : device.enabled_at
      return { facts: { since: device.status_at }, since_ms: Date.parse(since) }
    }),
  radio_not_ready: async (needs, rule) =>
    devicesOf(needs, rule, await subjectsOf(needs, rule).notReady(), ({ radio_says: says }) => ({
      facts: { says },
    })),
  device_quarantined: async (needs, rule) => {
    const devices = await subjectsOf(needs, rule).quarantined(instant(needs.clock.now()))
    return devicesOf(needs, rule, devices, ({ quarantine_reason: reason }) => ({ facts: { reason } }))
  },
  daily_limit_used: async (needs, rule) => {
    const day = needs.clock.day(needs.clock.now())
    const devices = await subjectsOf(needs, rule).limitUsed(day, rule.value!)
    return devicesOf(needs, rule, devices, ({ sent, max_sms_dayly: limit }) => ({ facts: { sent, limit } }))
  },
  failure_rate: (needs, rule, watched) =>
    rule.rate_of === 'company' ? companyFailures(needs, rule) : deviceFailures(needs, rule, watched),
  queue_age: stuckQueue,
  plan_used: findSims,
  sim_expires: findSims,
  balance_low: findSims,
  async webhook_failing(needs, rule) {
    const webhooks = await subjectsOf(needs, rule).failingWebhooks(rule.value!)
    return webhooks.map(({ id, url, failures_in_row: failures }) => ({
      subject: { kind: 'webhook', id: String(id), name: withoutQuery(url) },
      facts: { failures },
    }))
  },
  backup_age: findInstallation,
  disk_short: findInstallation,
  certificate_expires: findInstallation,
}

function subjectsOf({ tx }: ConditionNeeds, { company_id }: AlertRuleRow) {
  return alertSubjects(tx, company_id)
}

async function findSims(needs: ConditionNeeds, rule: AlertRuleRow): Promise<Held[]> {
  const { clock } = needs
  const now = instant(clock.now())
  const sims = (await subjectsOf(needs, rule).sims()).filter((sim) => isChosen(rule, sim))
  return sims.flatMap((sim) => {
    const facts = simChecks[rule.condition]!(sim, rule.value!, clock)
    if (facts === undefined) return []
    const subject = { kind: 'sim' as const, id: sim.iccid, name: sim.number }
    return [{ subject, facts, paused: inMaintenance(sim, now) }]
  })
}

function isChosen(rule: AlertRuleRow, device: Pick<AlertSim, 'tags'>): boolean {
  const asked = JSON.parse(rule.tags) as string[]
  if (asked.length === 0) return true
  const tags = JSON.parse(device.tags ?? '[]') as string[]
  return asked.some((tag) => tags.includes(tag))
}

function devicesOf<Device extends AlertDevice>(
  { clock }: ConditionNeeds,
  rule: AlertRuleRow,
  devices: readonly Device[],
  found: (device: Device) => Pick<Held, 'facts' | 'since_ms'>,
): Held[] {
  const now = instant(clock.now())
  return devices
    .filter((device) => isChosen(rule, device))
    .map((device) => ({
      subject: { kind: 'device', id: device.uid, name: device.name },
      paused: inMaintenance(device, now),
      ...found(device),
    }))
}

/** The rate of a device can only rise when a message fails on it, so only such devices are looked at. */
async function deviceFailures(
  needs: ConditionNeeds,
  rule: AlertRuleRow,
  watched: readonly string[],
): Promise<Held[]> {
  const subjects = subjectsOf(needs, rule)
  const { failures_from_ms } = needs
  const failed = await subjects.failedSince(instant(failures_from_ms))
  const undelivered = await subjects.undeliveredSince(instant(failures_from_ms - REPORTED_LATE_MS))
  const known = (await subjects.devices(watched)).map(({ id }) => id)
  const devices = await subjects.devicesById([...new Set([...failed, ...undelivered, ...known])])
  const over = rule.rate_over!
  const since = instant(needs.clock.now() - DAY_MS)
  const held: { device: AlertDevice; failed: number }[] = []
  for (const device of devices) {
    const failed = tooManyFailed(await subjects.lastOn(device.id, since, over), rule)
    if (failed !== undefined) held.push({ device, failed })
  }
  const failures = new Map(held.map(({ device, failed }) => [device.id, failed]))
  return devicesOf(
    needs,
    rule,
    held.map(({ device }) => device),
    ({ id }) => ({ facts: { failed: failures.get(id)!, over } }),
  )
}

async function companyFailures(needs: ConditionNeeds, rule: AlertRuleRow): Promise<Held[]> {
  const over = rule.rate_over!
  const last = await subjectsOf(needs, rule).lastOf(instant(needs.clock.now() - DAY_MS), over)
  const failed = tooManyFailed(last, rule)
  return failed === undefined ? [] : [await company(needs, rule, { facts: { failed, over } })]
}

/** How many of the last messages failed, if the rule's percentage is reached. */
function tooManyFailed(
  last: readonly { state: string }[],
  { rate_over, value }: AlertRuleRow,
): number | undefined {
  const over = rate_over!
  if (last.length < over) return undefined
  const failed = last.filter(({ state }) => state === 'failed' || state === 'uncertain').length
  return failed * 100 >= value! * over ? failed : undefined
}

/** The time outside of its sending hours does not count as waiting. */
async function stuckQueue(needs: ConditionNeeds, rule: AlertRuleRow): Promise<Held[]> {
  const now_ms = needs.clock.now()
  const whole_ms = rule.value! * MINUTE_MS
  const rules = needs.rules(rule.company_id)
  const waiting = await subjectsOf(needs, rule).waitingSince(instant(now_ms - whole_ms), instant(now_ms))
  const known = new Set<string>()
  for (const message of waiting) {
    const its = hoursOfMessage(rules, message)
    const key = `${classOf(message)} ${its?.zones.join()}`
    // An older message with these hours has not waited this long.
    if (known.has(key)) continue
    if (its === undefined || hasWaited(its, Date.parse(message.due_at), now_ms, whole_ms))
      return [await company(needs, rule, { facts: { since: message.due_at } })]
    known.add(key)
  }
  return []
}

/** Whether the message may go now, and might have gone for this long. */
function hasWaited(
  { hours, zones }: NonNullable<ReturnType<typeof hoursOfMessage>>,
  due_ms: number,
  now_ms: number,
  whole_ms: number,
): boolean {
  return hoursAt(hours, zones, now_ms).open && openMsBetween(hours, zones, due_ms, now_ms) >= whole_ms
}

async function company(
  needs: ConditionNeeds,
  rule: AlertRuleRow,
  found: Omit<Held, 'subject'>,
): Promise<Held> {
  const name = await subjectsOf(needs, rule).name()
  return { subject: { kind: 'company', id: String(rule.company_id), name }, ...found }
}
