import { isWriting, runText } from '#server/database/dialect.ts'
import type { Channel } from '@sdd/storage/postgres/channel.ts'
import type { Tx } from '#server/database/schema.ts'

/** Leases of servers, by the database's clock alone; asked for beside what is written, so that they wait for nothing. */
export function leaseStore({ ask }: Pick<Channel, 'ask'>) {
  return {
    begin: (id: string, lasts_ms: number) => ask(BEGIN, [id, lasts_ms]),

    /** Makes a lease last again from now on, unless it is over. Says as well whether another is, and which is oldest. */
    renew: async (id: string, lasts_ms: number): Promise<Renewed> => {
      const [renewed] = await ask<Renewed>(RENEW, [id, lasts_ms])
      return renewed!
    },

    end: (id: string) => ask('update replicas set expires_at = clock_timestamp() where id = $1', [id]),
  }
}

export type Renewed = { renewed: boolean; over: boolean; oldest: string | null }

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
    /** Whether the lease is not over, nor will be before this transaction is. Always, where there is one server. */
    async isHeld(id: string): Promise<boolean> {
      if (!isWriting(tx)) return true
      return (await runText(tx, HELD, [id])).length > 0
    },

    /** Servers whose lease is over and with whom nobody else is busy. */
    async over(): Promise<string[]> {
      const rows = await runText<{ id: string }>(tx, OVER)
      return rows.map(({ id }) => id)
    },

    async remove(ids: readonly string[]): Promise<void> {
      await runText(tx, 'delete from replicas where id = any(?)', [ids])
    },
  }
}

const HELD = 'select id from replicas where id = ? and expires_at > clock_timestamp() for key share'
const OVER = 'select id from replicas where expires_at <= clock_timestamp() for update skip locked'
