import type { Tx } from './tx.ts'

/** A change of the schema. Its name never changes once it is released. */
export type Migration<Tables> = { name: string; up(tx: Tx<Tables>): Promise<void> }

/**
 * Brings the schema up to date, in the order of `list`. Each migration is recorded in the same transaction that runs
 * it, so a migration that is killed runs again at the next start. Throws if a newer version of the program wrote the
 * database.
 */
export async function migrate<Tables>(
  tx: Tx<Tables>,
  transact: (work: (tx: Tx<Tables>) => Promise<void>) => Promise<void>,
  list: readonly Migration<Tables>[],
): Promise<string[]> {
  const { pending } = await pendingMigrations(tx, list)
  for (const { name, up } of pending) {
    await transact(async (tx) => {
      await up(tx)
      await tx.query('insert into schema_migrations values (:name, :now)', {
        name,
        now: new Date().toISOString(),
      })
    })
  }
  return pending.map(({ name }) => name)
}

/** The names of the migrations that have run and of those still to run. Throws as `migrate` does. */
export async function pendingMigrations<Tables>(
  tx: Tx<Tables>,
  list: readonly Migration<Tables>[],
): Promise<{ applied: string[]; pending: Migration<Tables>[] }> {
  await tx.query(
    'create table if not exists schema_migrations (name text primary key, applied_at text not null)',
  )
  const rows = await tx.query<{ name: string }>('select name from schema_migrations order by name')
  const applied = rows.map(({ name }) => name)
  const unknown = unknownMigrations(applied, list)
  if (unknown.length > 0) {
    throw new Error(`was written by a newer version of this program (it knows ${unknown.join(', ')})`)
  }
  return { applied, pending: list.filter(({ name }) => !applied.includes(name)) }
}

/** The names that only a newer version of the program knows. */
export function unknownMigrations(applied: readonly string[], list: readonly { name: string }[]): string[] {
  return applied.filter((name) => !list.some((migration) => migration.name === name))
}
