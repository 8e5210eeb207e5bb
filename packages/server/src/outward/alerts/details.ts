import type { Alert, AlertCondition } from '@sdd/contract/outward/alerts.ts'
import type { AlertRow } from './store.ts'

export type AlertFields = Omit<Alert, 'told'>

export type AlertFacts = Readonly<Record<string, string | number | null>>

/** The alert, without what channels were told. */
export function asAlert(row: AlertRow): AlertFields {
  const { acknowledged_by: user_id, acknowledged_name } = row
  const facts = JSON.parse(row.facts) as AlertFacts
  return {
    id: row.id,
    company_id: row.company_id,
    rule: { id: row.rule_id, condition: row.condition, value: row.value },
    subject: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
    since: row.since,
    opened_at: row.opened_at,
    said_at: row.said_at,
    acknowledged_by: user_id === null ? null : { id: user_id, name: acknowledged_name ?? '' },
    acknowledged_at: row.acknowledged_at,
    resolved_at: row.resolved_at,
    detail: alertDetail(row.condition, facts),
    detail_params: facts,
  }
}

/** What opened an alert, as an English sentence. */
function alertDetail(condition: AlertCondition, facts: AlertFacts): string {
  return sentences[condition](facts)
}

const sentences: Record<AlertCondition, (facts: AlertFacts) => string> = {
  device_away: ({ since }) => `It has been disconnected since ${since}.`,
  radio_not_ready: ({ says }) =>
    says === null ? 'Its radio is not ready.' : `Its radio is not ready: ${says}`,
  device_quarantined: ({ reason }) =>
    reason === null ? 'It is in quarantine.' : `It is in quarantine: ${reason}`,
  failure_rate: ({ failed, over }) => `${failed} of the last ${over} messages failed.`,
  queue_age: ({ since }) => `A message has been waiting since ${since}.`,
  daily_limit_used: ({ sent, limit }) => `It has sent ${sent} of the ${limit} SMS that it may send today.`,
  plan_used: ({ used, limit, of }) => `It has used ${used} of the ${limit} ${of} of its plan.`,
  sim_expires: ({ valid_until }) => `Its plan is valid until ${valid_until}.`,
  balance_low: ({ amount, currency }) =>
    currency === null ? 'It has no credit.' : `Its balance is ${amount} ${currency}.`,
  webhook_failing: ({ failures }) => `${failures} deliveries in a row failed.`,
  backup_age: ({ at }) => (at === null ? 'There is no backup yet.' : `The last good backup is from ${at}.`),
  disk_short: ({ free }) => `The disk of DATA_DIR has ${free} MiB left.`,
  certificate_expires: ({ at }) => `The certificate of TLS_CERT_FILE expires at ${at}.`,
}
