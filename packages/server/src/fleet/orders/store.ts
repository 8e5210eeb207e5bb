import { limit, locked, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import type { Orders } from '#server/database/device-tables.ts'
import type { Change, Tx } from '#server/database/schema.ts'

/** Orders to devices. The caller has checked the scope of the device. */
export function orderStore(tx: Tx) {
  return {
    insert: (order: Insertable<Orders>): Promise<number> => tx.insertRow('orders', order),

    /** An order of this kind that waits for its answer. One from before the clock was set back may be in the future. */
    underWay: (device_id: number, what: string, now: string) => tx.first(UNDER_WAY, { device_id, what, now }),

    /** Newest first. */
    page: (device_id: number, below: number | undefined, most: number) =>
      tx.rows(PAGE, { device_id, below, limit: most }),

    /** The order, locked until the commit. */
    hold: (id: number) => tx.first(HOLD, { id }),

    update: (id: number, change: Change<Orders>) => tx.update('orders', { id }, change),

    /** Removes at most this many orders from before this time, and returns how many. */
    forget: async (before: string, most: number): Promise<number> =>
      (await tx.rows(FORGET, { before, limit: most })).length,
  }
}

export type OrderRow = Selectable<Orders>

const UNDER_WAY = sql<Pick<OrderRow, 'id'>, { device_id: number; what: string; now: string }>`
  select id from orders
  where device_id = :device_id and what = :what and answered_at is null and at <= :now and expires_at > :now limit 1`

const PAGE = sql<OrderRow, { device_id: number; below: number | undefined; limit: number }>`
  select * from orders where device_id = :device_id ${when('below')`and id < :below`} order by id desc ${limit()}`

const HOLD = sql<OrderRow, { id: number }>`select * from orders where id = :id ${locked('orders')}`

const FORGET = sql<{ id: number }, { before: string; limit: number }>`
  delete from orders where id in (select id from orders where at < :before order by at ${limit()}) returning id`
