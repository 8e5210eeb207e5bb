import { limit, locked, sql } from '@sdd/storage/sql.ts'
import type { Insertable } from '@sdd/storage/tables.ts'
import type { Tx } from '#server/database/schema.ts'
import type { SmppParts } from '#server/database/task-tables.ts'

/** The parts of long SMS of a key that are not complete yet. */
export function partStore(tx: Tx, api_key_id: number) {
  return {
    /** Several servers may get parts of one SMS. Only one at a time may look whether it is complete. */
    hold: () => tx.run(HOLD, { api_key_id }),

    /** The parts with this reference that began since then, in the order of their arrival. */
    open: (reference: string, since: string): Promise<PartRow[]> =>
      tx.rows(OPEN, { api_key_id, reference, since }),

    /** Whether the key has this many parts. */
    hasMany: async (many: number): Promise<boolean> =>
      (await tx.first(NTH, { api_key_id, before: many - 1 })) !== undefined,

    insert: (part: Omit<Insertable<SmppParts>, 'api_key_id'>) =>
      tx.insert('smpp_parts', [{ ...part, api_key_id }]),

    has: async (guid: string): Promise<boolean> => (await tx.first(HAS, { api_key_id, guid })) !== undefined,

    remove: (guid: string) => tx.run(REMOVE, { api_key_id, guid }),

    removeOne: (guid: string, n: number) => tx.run(REMOVE_ONE, { api_key_id, guid, n }),
  }
}

/** Removes parts whose SMS began before then, and returns them. */
export function removeOldParts(tx: Tx, before: string, most: number): Promise<OldPart[]> {
  return tx.rows(REMOVE_OLD, { before, limit: most })
}

export async function anyOldPart(tx: Tx, before: string): Promise<boolean> {
  return (await tx.first(ANY_OLD, { before })) !== undefined
}

export type PartRow = Pick<SmppParts, 'guid' | 'n' | 'data_coding' | 'octets' | 'registered' | 'began_at'>

type OldPart = Omit<SmppParts, 'id'>

type ByKey = { api_key_id: number }

const HOLD = sql<{ id: number }, ByKey>`select id from api_keys where id = :api_key_id ${locked('api_keys')}`

const OPEN = sql<PartRow, ByKey & { reference: string; since: string }>`
  select guid, n, data_coding, octets, registered, began_at from smpp_parts
  where api_key_id = :api_key_id and reference = :reference and began_at >= :since order by id`

const NTH = sql<{ id: number }, ByKey & { before: number }>`
  select id from smpp_parts where api_key_id = :api_key_id order by id limit 1 offset :before`

const HAS = sql<{ id: number }, ByKey & { guid: string }>`
  select id from smpp_parts where api_key_id = :api_key_id and guid = :guid limit 1`

const REMOVE = sql<never, ByKey & { guid: string }>`
  delete from smpp_parts where api_key_id = :api_key_id and guid = :guid`

const REMOVE_ONE = sql<never, ByKey & { guid: string; n: number }>`
  delete from smpp_parts where api_key_id = :api_key_id and guid = :guid and n = :n`

const ANY_OLD = sql<{ id: number }, { before: string }>`
  select id from smpp_parts where began_at < :before order by began_at limit 1`

const REMOVE_OLD = sql<OldPart, { before: string; limit: number }>`
  delete from smpp_parts where id in (
    select id from smpp_parts where began_at < :before order by began_at ${limit()})
  returning company_id, api_key_id, reference, guid, n, data_coding, octets, registered, began_at`
