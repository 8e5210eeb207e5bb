import { createSettings } from '#server/settings/settings.ts'
import type { Tx } from '#server/database/schema.ts'
import { companyStore } from './store.ts'

/** Makes a company with its settings, and returns its id. */
export async function createCompany(tx: Tx, name: string, created_at: string): Promise<number> {
  const { id } = await companyStore(tx).insert({ name, created_at })
  await createSettings(tx, id, created_at)
  return id
}
