import { type Clock, instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { alertMessageStore } from './channels.store.ts'
import { channelsOf, noteMessage } from './noting.ts'
import { type AlertRuleRow, alertRuleStore, alertSettingsStore, alertStore } from './store.ts'

/** Tells again of open alerts that no user has acknowledged, in the companies that want that. */
export async function repeatAlerts(
  { db, clock }: { db: Database; clock: Clock },
  rules: readonly AlertRuleRow[],
): Promise<void> {
  for (const { company_id, repeat_mins, join_secs } of await alertSettingsStore(db.read).repeating()) {
    const now_ms = clock.now()
    const times = { before: instant(now_ms - repeat_mins * 60_000), now: instant(now_ms) }
    const own = rules.filter((rule) => rule.company_id === company_id && channelsOf(rule).length > 0)
    for (const rule of own) {
      if ((await dueOf(db.read, rule, times)).length === 0) continue
      await db.write(async (tx) => {
        const present = await alertRuleStore(tx, 'all').hold(rule.id)
        if (present?.enabled !== 1) return
        for (const one of await dueOf(tx, present, times))
          await noteMessage(tx, present, { ...one, event: 'repeated' }, { join_secs, now_ms })
      })
    }
  }
}

/** The alerts of the rule, each with a channel that was last told of it before then, and waits for no message. */
async function dueOf(tx: Tx, rule: AlertRuleRow, { before, now }: { before: string; now: string }) {
  const alerts = await alertStore(tx, 'all').unacknowledgedOf(rule.id)
  if (alerts.length === 0) return []
  const told = await alertMessageStore(tx).about(alerts.map(({ id }) => id))
  /** The last message of each channel about each alert. */
  const last = new Map(told.map((message) => [`${message.alert_id} ${message.channel_id}`, message]))
  return alerts.flatMap(({ id: alert_id, said_at }) =>
    channelsOf(rule).flatMap((channel_id) => {
      const message = last.get(`${alert_id} ${channel_id}`)
      if (message?.state === 'waiting') return []
      // A channel that the rule names since then gets what the others get.
      const last_at = message ? message.tried_at : said_at
      if (last_at === null) return []
      // After the clock was set back, the last time may be in the future.
      return last_at <= before || last_at > now ? [{ alert_id, channel_id }] : []
    }),
  )
}
