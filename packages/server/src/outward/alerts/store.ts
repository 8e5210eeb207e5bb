import { isIn, limit, locked, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { AlertRules, Alerts, AlertSettingsRows, AlertWatches } from '#server/database/alert-tables.ts'
import type { Change, Tx } from '#server/database/schema.ts'

export type AlertRuleRow = Selectable<AlertRules>
export type AlertRow = Selectable<Alerts>

export function alertRuleStore(tx: Tx, scope: Scope) {
  return {
    list: () => tx.rows(RULES, within(scope)),

    /** Those of all companies that are checked. */
    enabled: () => tx.rows(ENABLED_RULES),

    /** The rule, locked until the commit. */
    hold: (id: number) => tx.first(HOLD_RULE, { id, ...within(scope) }),

    count: async (of: number): Promise<number> => (await tx.first(COUNT_RULES, { of }))!.count,

    insert: (rule: Insertable<AlertRules>): Promise<number> => tx.insertRow('alert_rules', rule),

    update: (id: number, change: Change<AlertRules>) => tx.update('alert_rules', { id }, change),

    remove: (id: number) => tx.delete('alert_rules', { id }),
  }
}

export function alertSettingsStore(tx: Tx) {
  return {
    of: (company_id: number) => tx.first(SETTINGS, { company_id }),

    /** Of the companies that repeat alerts. */
    repeating: () => tx.rows(REPEATING),

    put: (company_id: number, settings: Omit<AlertSettingsRows, 'company_id'>) =>
      tx.put('alert_settings', { company_id }, settings),
  }
}

/** What one rule remembers of its subjects. */
export function alertWatchStore(tx: Tx, rule_id: number) {
  return {
    all: () => tx.rows(WATCHES, { rule_id }),

    of: (subjects: readonly string[]) => tx.rows(WATCHES_OF, { rule_id, subjects }),

    put: (subject_id: string, watch: Omit<AlertWatches, 'rule_id' | 'subject_id'>) =>
      tx.put('alert_watches', { rule_id, subject_id }, watch),

    remove: (subject_id: string) => tx.delete('alert_watches', { rule_id, subject_id }),

    removeAll: () => tx.run(FORGET_WATCHES, { rule_id }),
  }
}

export function alertStore(tx: Tx, scope: Scope) {
  return {
    /** Newest first. `state`: only open or only resolved ones. `shown`: only these conditions. */
    page: (
      asked: { open: boolean | undefined; below: number | undefined; shown: readonly string[] },
      most: number,
    ) => {
      const { open, below, shown } = asked
      return tx.rows(PAGE, {
        open: open === true ? 1 : undefined,
        resolved: open === false ? 1 : undefined,
        below,
        shown,
        limit: most,
        ...within(scope),
      })
    },

    /** The alert, locked until the commit. */
    hold: (id: number) => tx.first(HOLD_ALERT, { id, ...within(scope) }),

    insert: (alert: Insertable<Alerts>): Promise<number> => tx.insertRow('alerts', alert),

    update: (id: number, change: Change<Alerts>) => tx.update('alerts', { id }, change),

    /** The open alerts of a rule that no user has acknowledged, without those of devices in maintenance. */
    unacknowledgedOf: (rule_id: number) => tx.rows(UNACKNOWLEDGED_OF, { rule_id }),

    /** Resolves the open alerts of a rule. */
    resolveOf: (rule_id: number, now: string) => tx.run(RESOLVE_OF, { rule_id, now }),
  }
}

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const RULES = sql<AlertRuleRow, InScope>`select * from alert_rules where true ${IN_SCOPE} order by id`

const ENABLED_RULES = sql<AlertRuleRow>`select * from alert_rules where enabled = 1 order by id`

const HOLD_RULE = sql<AlertRuleRow, { id: number } & InScope>`
  select * from alert_rules where id = :id ${IN_SCOPE} ${locked('alert_rules')}`

const COUNT_RULES = sql<{ count: number }, { of: number }>`
  select count(*) as count from alert_rules where company_id = :of`

const SETTINGS = sql<AlertSettingsRows, { company_id: number }>`
  select * from alert_settings where company_id = :company_id`

const REPEATING = sql<AlertSettingsRows>`select * from alert_settings where repeat_mins > 0`

const WATCHES = sql<AlertWatches, { rule_id: number }>`select * from alert_watches where rule_id = :rule_id`

const WATCHES_OF = sql<AlertWatches, { rule_id: number; subjects: readonly string[] }>`
  select * from alert_watches where rule_id = :rule_id and ${isIn('subject_id', 'subjects')}`

const FORGET_WATCHES = sql<never, { rule_id: number }>`delete from alert_watches where rule_id = :rule_id`

const PAGE = sql<
  AlertRow,
  {
    open: 1 | undefined
    resolved: 1 | undefined
    below: number | undefined
    shown: readonly string[]
    limit: number
  } & InScope
>`
  select * from alerts where ${isIn('condition', 'shown')} ${IN_SCOPE}
    ${when('open')`and resolved_at is null and :open = 1`}
    ${when('resolved')`and resolved_at is not null and :resolved = 1`}
    ${when('below')`and id < :below`} order by id desc ${limit()}`

const HOLD_ALERT = sql<AlertRow, { id: number } & InScope>`
  select * from alerts where id = :id ${IN_SCOPE} ${locked('alerts')}`

const UNACKNOWLEDGED_OF = sql<AlertRow, { rule_id: number }>`
  select alerts.* from alert_watches join alerts on alerts.id = alert_watches.alert_id
  where alert_watches.rule_id = :rule_id and paused = 0 and acknowledged_at is null and resolved_at is null
  order by alerts.id`

const RESOLVE_OF = sql<never, { rule_id: number; now: string }>`
  update alerts set resolved_at = :now where resolved_at is null and rule_id = :rule_id`
