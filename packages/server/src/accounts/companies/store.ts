import { sql } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import type { Companies, Tx } from '#server/database/schema.ts'

/** Companies are the scopes themselves: only work across companies uses this store. */
export function companyStore(tx: Tx) {
  return {
    byId: (id: number) => tx.first(BY_ID, { id }),

    insert: (company: Insertable<Companies>): Promise<number> => tx.insertRow('companies', company),
  }
}

const BY_ID = sql<Pick<Selectable<Companies>, 'id' | 'name'>, { id: number }>`
  select id, name from companies where id = :id`
