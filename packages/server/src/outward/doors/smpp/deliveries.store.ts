import { limit, lockedOrSkipped, sql } from '@sdd/storage/sql.ts'
import type { Insertable } from '@sdd/storage/tables.ts'
import type { Tx } from '#server/database/schema.ts'
import type { SmppDeliveries } from '#server/database/task-tables.ts'

/** The receipts and received SMS that wait for a bind. */
export function deliveryStore(tx: Tx) {
  return {
    insert: (delivery: Insertable<SmppDeliveries>) => tx.insert('smpp_deliveries', [delivery]),

    /**
     * Those of a key that may be tried now, oldest first. One waits for the earlier ones of the same SMS or sender.
     */
    due: (api_key_id: number, now: string, most: number): Promise<DueDelivery[]> =>
      tx.rows(DUE, { api_key_id, now, limit: most }),

    /** No server tries it until then. */
    claim: (id: number, due_at: string) => tx.update('smpp_deliveries', { id }, { due_at }),

    remove: (id: number) => tx.delete('smpp_deliveries', { id }),

    anyOld: async (before: string): Promise<boolean> => (await tx.first(ANY_OLD, { before })) !== undefined,

    /** Removes older ones. Returns how many. */
    removeOld: async (before: string, most: number): Promise<number> =>
      (await tx.rows(REMOVE_OLD, { before, limit: most })).length,

    /** Keys of the company that have bound as a receiver since then, and may read received SMS. */
    receivers: async (company_id: number, since: string): Promise<number[]> =>
      (await tx.rows(RECEIVERS, { company_id, since })).map(({ api_key_id }) => api_key_id),

    noteReceiver: (api_key_id: number, bound_at: string) =>
      tx.put('smpp_receivers', { api_key_id }, { bound_at }),
  }
}

type DueDelivery = Pick<SmppDeliveries, 'body'> & { id: number }

const DUE = sql<DueDelivery, { api_key_id: number; now: string; limit: number }>`
  select id, body from smpp_deliveries where api_key_id = :api_key_id and due_at <= :now
    and not exists (select 1 from smpp_deliveries as earlier where earlier.api_key_id = smpp_deliveries.api_key_id
      and earlier.name = smpp_deliveries.name and earlier.id < smpp_deliveries.id)
  order by id ${limit()} ${lockedOrSkipped('smpp_deliveries')}`

const ANY_OLD = sql<{ id: number }, { before: string }>`
  select id from smpp_deliveries where created_at < :before order by created_at limit 1`

const REMOVE_OLD = sql<{ id: number }, { before: string; limit: number }>`
  delete from smpp_deliveries where id in (
    select id from smpp_deliveries where created_at < :before order by created_at ${limit()})
  returning id`

const RECEIVERS = sql<{ api_key_id: number }, { company_id: number; since: string }>`
  select api_key_id from smpp_receivers join api_keys on api_keys.id = api_key_id
  where company_id = :company_id and revoked_at is null and bound_at >= :since and may like '%"inbox:read"%'`
