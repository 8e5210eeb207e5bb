import { settingsByCompany } from '#server/accounts/settings/settings.ts'
import { type Clock, DAY_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { campaignStore, endedBefore } from './store.ts'

const LOOK_MS = MINUTE_MS

/**
 * Returns a function that removes campaigns which ended more than their company's `retention_days` ago. It looks once a
 * minute. Their rows follow in steps.
 */
export function forgetCampaigns({ db, clock }: { db: Database; clock: Clock }): () => Promise<void> {
  let look_at = 0
  return async () => {
    if (performance.now() < look_at) return
    look_at = performance.now() + LOOK_MS
    for (const { company_id, retention_days } of (await settingsByCompany(db.read)).values()) {
      const before = instant(clock.now() - retention_days * DAY_MS)
      const old = await endedBefore(db.read, company_id, before)
      if (old.length === 0) continue
      await db.write(async (tx) => {
        for (const id of old) await campaignStore(tx, { company_id }).update(id, { state: 'removed' })
      })
    }
  }
}
