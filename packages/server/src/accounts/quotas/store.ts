import type { QuotaName } from '@sdd/contract/accounts/quotas.ts'
import { holdName, runText } from '#server/database/dialect.ts'
import type { Tx } from '#server/database/schema.ts'
import { writeTotals } from '#server/database/totals.ts'

/** What is counted for a whole company. */
export type Counted = Exclude<QuotaName, 'sessions' | 'live_connections'>

/** What somebody has set for a company; and what it has. */
export function quotaStore(tx: Tx, company_id: number) {
  return {
    list: () =>
      tx.selectFrom('quotas').select(['name', 'most']).where('company_id', '=', company_id).execute(),

    async most(name: QuotaName): Promise<number | undefined> {
      const row = await tx
        .selectFrom('quotas')
        .select('most')
        .where('company_id', '=', company_id)
        .where('name', '=', name)
        .executeTakeFirst()
      return row?.most
    },

    set: (name: QuotaName, most: number) =>
      tx
        .insertInto('quotas')
        .values({ company_id, name, most })
        .onConflict((conflict) => conflict.columns(['company_id', 'name']).doUpdateSet({ most }))
        .execute(),

    remove: (name: QuotaName) =>
      tx.deleteFrom('quotas').where('company_id', '=', company_id).where('name', '=', name).execute(),

    /** Others who want more of the same wait for the commit. */
    hold: (name: QuotaName) => holdName(tx, `quota ${name} of company ${company_id}`),

    async used(name: Counted, now: string): Promise<number> {
      if (name === 'waiting_tasks') await writeTotals(tx)
      const counting = COUNTING[name]
      const values = [company_id, ...(counting.now ? [now] : []), ...(counting.twice ? [company_id] : [])]
      const [row] = await runText<{ used: number }>(tx, counting.text, values)
      return Number(row!.used)
    },
  }
}

const COUNTING: Record<Counted, { text: string; now?: true; twice?: true }> = {
  devices: { text: 'select count(*) as used from devices where company_id = ? and unlinked_at is null' },
  // Those in lanes, and those in the lane of a device.
  waiting_tasks: {
    text: `select (select coalesce(sum(waiting), 0) from lanes where company_id = ?)
      + (select coalesce(sum(sticky), 0) from devices where company_id = ?) as used`,
    twice: true,
  },
  api_keys: {
    text: `select count(*) as used from api_keys
      where company_id = ? and revoked_at is null and (expires_at is null or expires_at > ?)`,
    now: true,
  },
  users: { text: 'select count(*) as used from users where "companyId" = ?' },
  link_codes: {
    text: 'select count(*) as used from link_codes where company_id = ? and uses_left > 0 and expires_at > ?',
    now: true,
  },
  webhooks: { text: 'select count(*) as used from webhooks where company_id = ? and removed_at is null' },
}
