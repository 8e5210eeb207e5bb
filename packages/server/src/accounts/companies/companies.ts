import { createSettings } from '#server/accounts/settings/settings.ts'
import type { Tx } from '#server/database/schema.ts'
import { companyStore } from './store.ts'

/** Makes the company of this id if there is none yet. */
export async function ensureCompany(tx: Tx, id: number, now: string): Promise<void> {
  if (await companyStore(tx).byId(id)) return
  await companyStore(tx).insert({ id, name: `Company ${id}`, created_at: now })
  await createSettings(tx, id, now)
}

/** Makes a company with its settings, and returns its id. */
export async function createCompany(tx: Tx, name: string, created_at: string): Promise<number> {
  const id = await companyStore(tx).insert({ name, created_at })
  await createSettings(tx, id, created_at)
  return id
}
