import { sql } from '@sdd/storage/sql.ts'
import type { Channel } from '@sdd/storage/database.ts'
import type { Tx } from '#server/database/schema.ts'

/** The servers' view of the sessions at the external broker, by the database's clock. */
type AtBroker = {
  /** The client id of the oldest session, whose server leads. */
  oldest: string | null
  /** Sessions of servers that no longer exist. */
  orphans: string[] | null
}

/** The servers' sessions at the external broker, on PostgreSQL. */
export function brokerSessionStore({ ask }: Pick<Channel, 'ask'>) {
  return {
    /** This server can reach the broker, so the devices there count as reachable for this long. */
    renew: async (client_id: string, replica: string, lasts_ms: number): Promise<AtBroker> => {
      await ask(RENEW_DEVICES, [replica, lasts_ms])
      await ask(RENEW, [client_id, lasts_ms])
      const [known] = await ask<AtBroker>(KNOWN)
      return known!
    },

    end: (client_id: string) =>
      ask('update broker_sessions set expires_at = clock_timestamp() where client_id = $1', [client_id]),

    /** Call once the messages of that session are taken. */
    remove: (client_id: string) =>
      ask('delete from broker_sessions where client_id = $1 and expires_at <= clock_timestamp()', [
        client_id,
      ]),
  }
}

const END = `clock_timestamp() + $2::int * interval '1 ms'`
const LASTS = `do update set expires_at = excluded.expires_at`
const RENEW_DEVICES = `insert into replicas (id, expires_at) values ($1, ${END}) on conflict (id) ${LASTS}`
const RENEW = `insert into broker_sessions (client_id, expires_at) values ($1, ${END}) on conflict (client_id) ${LASTS}`
const KNOWN = `select
  (select client_id from broker_sessions where expires_at > clock_timestamp()
    order by started_at, client_id limit 1) as oldest,
  (select array_agg(client_id) from broker_sessions where expires_at <= clock_timestamp()) as orphans`

/** Names of unlinked devices that no linked device has now. */
export async function unlinkedUids(tx: Tx): Promise<string[]> {
  const rows = await tx.rows(UNLINKED)
  return rows.map(({ uid }) => uid)
}

const UNLINKED = sql<{ uid: string }>`
  select distinct uid from devices
  where unlinked_at is not null and uid not in (select uid from devices where unlinked_at is null)`
