import type { QuotaName } from '@sdd/contract/accounts/quotas.ts'
import { type Statement, sql } from '@sdd/storage/sql.ts'
import { lockName } from '@sdd/storage/tx.ts'
import type { Quotas, Tx } from '#server/database/schema.ts'

/** The quotas that count something of the whole company. */
export type QuotaCount = Exclude<QuotaName, 'sessions' | 'live_connections'>

/** The quotas that were set for a company, and its use of them. */
export function quotaStore(tx: Tx, company_id: number) {
  return {
    list: () => tx.rows(LIST, { company_id }),

    most: async (name: QuotaName): Promise<number | undefined> =>
      (await tx.first(MOST, { company_id, name }))?.most,

    set: (name: QuotaName, most: number) => tx.put('quotas', { company_id, name }, { most }),

    remove: (name: QuotaName) => tx.run(REMOVE, { company_id, name }),

    /** Locks the quota until the commit. */
    hold: (name: QuotaName) => lockName(tx, `quota ${name} of company ${company_id}`),

    async used(name: QuotaCount, now: string): Promise<number> {
      if (name === 'waiting_tasks') await tx.writeTotals()
      const counted = await tx.first(USED[name], { company_id, now })
      return Number(counted!.used)
    },
  }
}

type One = { company_id: number; name: QuotaName }

const LIST = sql<Pick<Quotas, 'name' | 'most'>, { company_id: number }>`
  select name, most from quotas where company_id = :company_id`

const MOST = sql<Pick<Quotas, 'most'>, One>`
  select most from quotas where company_id = :company_id and name = :name`

const REMOVE = sql<never, One>`delete from quotas where company_id = :company_id and name = :name`

type Used = { used: number }
type At = { company_id: number; now: string }

const USED_DEVICES = sql<Used, At>`
  select count(*) as used from devices where company_id = :company_id and unlinked_at is null`

/** Waiting tasks in shared lanes, and those in the own lane of a device. */
const USED_WAITING_TASKS = sql<Used, At>`
  select (select coalesce(sum(waiting), 0) from lanes where company_id = :company_id)
    + (select coalesce(sum(sticky), 0) from capacity join devices on devices.id = device_id
      where queued + sticky > 0 and company_id = :company_id) as used`

const USED_API_KEYS = sql<Used, At>`
  select count(*) as used from api_keys
  where company_id = :company_id and revoked_at is null and (expires_at is null or expires_at > :now)`

const USED_USERS = sql<Used, At>`select count(*) as used from users where "companyId" = :company_id`

const USED_LINK_CODES = sql<Used, At>`
  select count(*) as used from link_codes
  where company_id = :company_id and uses_left > 0 and expires_at > :now`

const USED_WEBHOOKS = sql<Used, At>`
  select count(*) as used from webhooks where company_id = :company_id and removed_at is null`

const USED: Record<QuotaCount, Statement<Used, At>> = {
  devices: USED_DEVICES,
  waiting_tasks: USED_WAITING_TASKS,
  api_keys: USED_API_KEYS,
  users: USED_USERS,
  link_codes: USED_LINK_CODES,
  webhooks: USED_WEBHOOKS,
}
