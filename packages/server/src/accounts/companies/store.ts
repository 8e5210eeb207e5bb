import type { Tx } from '#server/database/schema.ts'

/** Companies are the scopes themselves: only what works across them asks here. */
export function companyStore(tx: Tx) {
  return {
    byId: (id: number) =>
      tx.selectFrom('companies').select(['id', 'name']).where('id', '=', id).executeTakeFirst(),

    insert: (company: { id?: number; name: string; created_at: string }) =>
      tx.insertInto('companies').values(company).returning('id').executeTakeFirstOrThrow(),
  }
}
