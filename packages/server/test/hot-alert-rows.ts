import type { Tx } from '#server/database/schema.ts'

/** 300 channels with 10,000 messages about one alert each. Most are delivered, and some are retried later. */
export async function insertAlerts(tx: Tx, now: string): Promise<void> {
  await tx.query(`insert into alert_channels (company_id, kind, name, url)
    select company_id, 'ntfy', 'Desk', 'https://ntfy.sh' from devices order by id limit 300`)
  await tx.query(`insert into alerts (company_id, rule_id, condition, subject_kind, subject_id, since, opened_at, facts)
    select company_id, 1, 'device_quarantined', 'device', 'x', '${now}', '${now}', '{}'
    from messages order by id limit 10000`)
  await tx.query(`insert into alert_messages (company_id, channel_id, rule_id, event, webhook_id, state, due_at, tries)
    select alert_channels.company_id, alert_channels.id, 1, 'opened', 'x',
      case when alerts.id % 50 = 0 then 'waiting' else 'delivered' end,
      case when alerts.id % 100 = 0 then '9999' else '${now}' end, 1
    from alerts join alert_channels on alert_channels.id = alerts.id % 290 + 1 order by alerts.id`)
  await tx.query(`insert into alert_tellings (message_id, alert_id)
    select alert_messages.id, alerts.id from alert_messages join alerts on alerts.id = alert_messages.id`)
}
