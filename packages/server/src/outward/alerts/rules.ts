import {
  type AlertCondition,
  alertConditions,
  type AlertRule,
  type AlertRuleChange,
  conditionValues,
  deviceConditions,
  installationConditions,
  MAX_ALERT_RULES,
  simConditions,
} from '@sdd/contract/outward/alerts.ts'
import type { Hours } from '@sdd/contract/accounts/sending-hours.ts'
import { differences, recordChange } from '#server/accounts/audit/audit.ts'
import { lockedSettings } from '#server/accounts/settings/settings.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Live } from '#server/core/live.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { alertChannelStore, alertMessageStore } from './channels.store.ts'
import { followChannels } from './following.ts'
import { channelsOf } from './noting.ts'
import { type AlertRuleRow, alertRuleStore, alertStore, alertWatchStore } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Pick<Live, 'changed'>
  config: { DATABASE_URL?: string | undefined }
}

/** How many messages a failure rate looks at, unless the rule says otherwise. */
const DEFAULT_OVER = 20

/** The conditions whose alerts this user may see. */
export function shownConditions({ role }: Pick<Caller, 'role'>): readonly AlertCondition[] {
  return role === 'superadmin'
    ? alertConditions
    : alertConditions.filter((condition) => !installationConditions.includes(condition))
}

export async function listAlertRules(
  { db }: Pick<Needs, 'db'>,
  caller: Caller,
): Promise<{ alert_rules: AlertRule[] }> {
  const shown = shownConditions(caller)
  const rows = await alertRuleStore(db.read, caller.scope).list()
  return { alert_rules: rows.filter(({ condition }) => shown.includes(condition)).map(asRule) }
}

/**
 * Creates a rule, or changes the one with this id. A rule that is switched off closes its open alerts.
 * `invalid`, `unknown_alert_rule`, `forbidden` for rules of the installation, except by superadmins.
 */
export async function saveAlertRule(
  { db, clock, live, config }: Needs,
  caller: Caller,
  change: AlertRuleChange,
  company?: number,
): Promise<{ rule: AlertRule; made: boolean }> {
  const saved = await db.write(async (tx) => {
    const store = alertRuleStore(tx, caller.scope)
    const before = typeof change.id === 'number' ? await requireRule(tx, caller, change.id) : undefined
    const company_id = before?.company_id ?? company ?? caller.company_id
    await lockedSettings(tx, caller.scope, company_id)
    const columns = ruleColumns(before && asRule(before), change, config.DATABASE_URL !== undefined)
    refuseInstallation(caller, columns.condition)
    await refuseUnknownChannels(tx, company_id, channelsOf(columns))
    let id = before?.id
    if (id === undefined) {
      if ((await store.count(company_id)) >= MAX_ALERT_RULES)
        throw invalidField('condition', 'is one rule too many: remove another', 'too_many', {
          max: MAX_ALERT_RULES,
        })
      id = await store.insert({ company_id, ...columns })
    } else {
      await store.update(id, columns)
      await followChannels(tx, before!, channelsOf(before!), channelsOf(columns))
      if (columns.hours !== before!.hours) await alertMessageStore(tx).release(id)
      // A rate of something else has other subjects.
      if (columns.enabled === 0 || columns.rate_of !== before!.rate_of) await closeAlerts(tx, id, clock)
    }
    const rule = asRule({ id, company_id, ...columns })
    await recordChange(tx, clock, caller, {
      company_id,
      action: 'alert_rule.saved',
      name: rule.condition,
      changes: differences(before && audited(asRule(before)), audited(rule)),
    })
    return { rule, made: before === undefined }
  })
  live.changed(saved.rule.company_id, 'alerts', 'audit')
  return saved
}

/** Removes a rule. Its open alerts are closed. */
export async function deleteAlertRule(
  { db, clock, live }: Pick<Needs, 'db' | 'clock' | 'live'>,
  caller: Caller,
  id: number,
): Promise<void> {
  const { company_id } = await db.write(async (tx) => {
    const rule = await requireRule(tx, caller, id)
    await closeAlerts(tx, id, clock)
    await alertRuleStore(tx, caller.scope).remove(id)
    const { company_id, condition: name } = rule
    await recordChange(tx, clock, caller, { company_id, action: 'alert_rule.deleted', name })
    return rule
  })
  live.changed(company_id, 'alerts', 'audit')
}

async function closeAlerts(tx: Tx, rule_id: number, clock: Clock): Promise<void> {
  await alertStore(tx, 'all').resolveOf(rule_id, instant(clock.now()))
  await alertWatchStore(tx, rule_id).removeAll()
  await alertMessageStore(tx).forgetOf(rule_id)
}

async function requireRule(tx: Tx, caller: Caller, id: number): Promise<AlertRuleRow> {
  const rule = await alertRuleStore(tx, caller.scope).hold(id)
  if (rule === undefined) throw new Refusal('unknown_alert_rule', `There is no rule for alerts ${id}.`)
  refuseInstallation(caller, rule.condition)
  return rule
}

async function refuseUnknownChannels(tx: Tx, company_id: number, ids: readonly number[]): Promise<void> {
  const known = new Set((await alertChannelStore(tx, { company_id }).list()).map(({ id }) => id))
  if (ids.some((id) => !known.has(id)))
    throw invalidField('channels', 'names a channel that the company does not have', 'not_one_of', {
      values: [...known].map(String),
    })
}

/** `forbidden` for rules and alerts of the installation, except for superadmins. */
export function refuseInstallation(caller: Caller, condition: AlertCondition): void {
  if (caller.role === 'superadmin' || !installationConditions.includes(condition)) return
  throw new Refusal('forbidden', 'Only superadmins have rules and alerts about the installation.', {
    params: { reason: 'role', role: caller.role },
  })
}

/** The rule after the change. Throws `invalid` if its parts do not fit together. */
function ruleColumns(
  before: AlertRule | undefined,
  change: AlertRuleChange,
  onPostgres: boolean,
): Omit<AlertRuleRow, 'id' | 'company_id'> {
  const condition = before?.condition ?? change.condition
  if (condition === undefined) throw invalidField('condition', 'is required', 'required', {})
  if (change.condition !== undefined && change.condition !== condition)
    throw invalidField('condition', 'of a rule never changes', 'not_one_of', { values: [condition] })
  if (onPostgres && (condition === 'backup_age' || condition === 'disk_short')) {
    const values = alertConditions.filter((one) => one !== 'backup_age' && one !== 'disk_short')
    throw invalidField('condition', 'is not known to the server with PostgreSQL', 'not_one_of', { values })
  }
  const rate = condition === 'failure_rate'
  for (const field of ['by', 'over'] as const)
    if (!rate && change[field] !== undefined)
      throw invalidField(field, 'belongs to failure_rate', 'unknown_field', {})
  const value = change.value === undefined ? (before?.value ?? null) : change.value
  refuseValue(condition, value)
  const rate_of = rate ? (change.by ?? before?.by ?? 'device') : null
  const tags = change.tags ?? before?.tags ?? []
  const choosable = [...deviceConditions, ...simConditions].includes(condition) || rate_of === 'device'
  if (tags.length > 0 && !choosable)
    throw invalidField('tags', 'choose devices, and this rule is not about devices', 'unknown_field', {})
  return {
    condition,
    value,
    rate_of,
    rate_over: rate ? (change.over ?? before?.over ?? DEFAULT_OVER) : null,
    tags: JSON.stringify(tags),
    channels: JSON.stringify([...new Set(change.channels ?? before?.channels ?? [])]),
    hours: hoursText(change.hours === undefined ? (before?.hours ?? null) : change.hours),
    enabled: (change.enabled ?? before?.enabled ?? true) ? 1 : 0,
  }
}

function refuseValue(condition: AlertCondition, value: number | null): void {
  const range = conditionValues[condition]
  if (range === null) {
    if (value !== null) throw invalidField('value', 'must be null for this condition', 'unknown_field', {})
    return
  }
  if (value === null) throw invalidField('value', 'is required', 'required', {})
  const [min, max] = range
  if (condition !== 'balance_low' && !Number.isInteger(value))
    throw invalidField('value', 'must be a whole number', 'bad_format', {})
  if (value < min || value > max)
    throw invalidField('value', `must be ${min} to ${max}`, 'out_of_range', { min, max })
}

function hoursText(hours: Hours | null): string | null {
  return hours && JSON.stringify(hours)
}

function audited({ value, by, over, tags, channels, hours, enabled }: AlertRule) {
  return { value, by, over, tags, channels, hours: hoursText(hours), enabled }
}

function asRule({ rate_of, rate_over, tags, channels, hours, enabled, ...rule }: AlertRuleRow): AlertRule {
  return {
    ...rule,
    by: rate_of,
    over: rate_over,
    tags: JSON.parse(tags) as string[],
    channels: channelsOf({ channels }),
    hours: hours === null ? null : (JSON.parse(hours) as Hours),
    enabled: enabled === 1,
  }
}
