import type { AlertCondition } from '@sdd/contract/outward/alerts.ts'

export type AlertFacts = Readonly<Record<string, string | number | null>>

const sentences: Record<AlertCondition, (facts: AlertFacts) => string> = {
  device_away: ({ since }) => `It has been disconnected since ${since}.`,
  radio_not_ready: ({ says }) =>
    says === null ? 'Its radio is not ready.' : `Its radio is not ready: ${says}`,
  device_quarantined: ({ reason }) =>
    reason === null ? 'It is in quarantine.' : `It is in quarantine: ${reason}`,
  failure_rate: ({ failed, over }) => `${failed} of the last ${over} messages failed.`,
  queue_age: ({ since }) => `A message has been waiting since ${since}.`,
  daily_limit_used: ({ sent, limit }) => `It has sent ${sent} of the ${limit} SMS that it may send today.`,
  webhook_failing: ({ failures }) => `${failures} deliveries in a row failed.`,
  backup_age: ({ at }) => (at === null ? 'There is no backup yet.' : `The last good backup is from ${at}.`),
  disk_short: ({ free }) => `The disk of DATA_DIR has ${free} MiB left.`,
  certificate_expires: ({ at }) => `The certificate of TLS_CERT_FILE expires at ${at}.`,
}

/** What opened an alert, as an English sentence. */
export function alertDetail(condition: AlertCondition, facts: AlertFacts): string {
  return sentences[condition](facts)
}
