import { postgresSql } from '@sdd/storage/sql.ts'
import type { Channel } from '@sdd/storage/database.ts'
import type { Tx } from '#server/database/schema.ts'

/**
 * The servers' leases, timed only by the database's clock. They use the channel's own session, so they never queue
 * behind writes.
 */
export function leaseStore({ ask }: Pick<Channel, 'ask'>) {
  return {
    begin: (id: string, lasts_ms: number) => ask(BEGIN, [id, lasts_ms]),

    /**
     * Extends a lease from now on, unless it has expired. Also returns whether any lease has expired, and the oldest
     * valid one.
     */
    renew: async (id: string, lasts_ms: number): Promise<Renewed> => {
      const [renewed] = await ask<Renewed>(RENEW, [id, lasts_ms])
      return renewed!
    },

    end: (id: string) => ask('update replicas set expires_at = clock_timestamp() where id = $1', [id]),
  }
}

type Renewed = { renewed: boolean; over: boolean; oldest: string | null }

const END = `clock_timestamp() + $2::int * interval '1 ms'`
const BEGIN = `insert into replicas (id, expires_at) values ($1, ${END})`
const RENEW = `with renewed as (
    update replicas set expires_at = ${END} where id = $1 and expires_at > clock_timestamp() returning id)
  select exists (select from renewed) as renewed,
    exists (select from replicas where expires_at <= clock_timestamp()) as over,
    (select id from replicas where expires_at > clock_timestamp() and id <> 'broker'
      order by started_at, id limit 1) as oldest`

export function replicaStore(tx: Tx) {
  return {
    /** Whether the lease is valid at least until this transaction ends. With a single server it always is. */
    async isHeld(id: string): Promise<boolean> {
      if (!tx.writing) return true
      return (await tx.first(HELD, { id })) !== undefined
    },

    /** Servers with an expired lease, except those that another server is removing. */
    async over(): Promise<string[]> {
      const rows = await tx.rows(OVER)
      return rows.map(({ id }) => id)
    },

    remove: (ids: readonly string[]) => tx.run(REMOVE, { ids }),
  }
}

/** SQLite has one server at a time, and no such table. */
const HELD = postgresSql<{ id: string }, { id: string }>`
  select id from replicas where id = :id and expires_at > clock_timestamp() for key share`

const OVER = postgresSql<{ id: string }>`
  select id from replicas where expires_at <= clock_timestamp() for update skip locked`

const REMOVE = postgresSql<never, { ids: readonly string[] }>`
  delete from replicas where id = any(:ids)`
