import { type Kysely, sql } from 'kysely'
import * as first from './migrations/0001-first.ts'
import * as tasks from './migrations/0002-tasks.ts'
import * as secondFactor from './migrations/0003-second-factor.ts'
import * as writers from './migrations/0004-writers.ts'
import * as fewerIndexes from './migrations/0005-fewer-indexes.ts'
import * as search from './migrations/0006-search.ts'
import * as idsComeBack from './migrations/0007-ids-come-back.ts'
import * as replicas from './migrations/0008-replicas.ts'
import * as callbackClaims from './migrations/0009-callback-claims.ts'
import * as months from './migrations/0010-months.ts'
import * as brokerSessions from './migrations/0011-broker-sessions.ts'
import * as indexesNobodyNeeds from './migrations/0012-indexes-nobody-needs.ts'
import * as askedTimes from './migrations/0013-asked-times.ts'
import * as proofs from './migrations/0014-proofs.ts'
import * as passwords from './migrations/0015-passwords.ts'
import * as senderNames from './migrations/0016-sender-names.ts'
import * as destinations from './migrations/0017-destinations.ts'
import * as audit from './migrations/0018-audit.ts'
import * as quotas from './migrations/0019-quotas.ts'
import * as rotation from './migrations/0020-rotation.ts'
import type { Tx } from './schema.ts'

type Migration = { name: string; up(db: Kysely<unknown>): Promise<void> }

/** In the order in which they run; a name never changes once released. */
export const migrations: readonly Migration[] = [
  { name: '0001-first', ...first },
  { name: '0002-tasks', ...tasks },
  { name: '0003-second-factor', ...secondFactor },
  { name: '0004-writers', ...writers },
  { name: '0005-fewer-indexes', ...fewerIndexes },
  { name: '0006-search', ...search },
  { name: '0007-ids-come-back', ...idsComeBack },
  { name: '0008-replicas', ...replicas },
  { name: '0009-callback-claims', ...callbackClaims },
  { name: '0010-months', ...months },
  { name: '0011-broker-sessions', ...brokerSessions },
  { name: '0012-indexes-nobody-needs', ...indexesNobodyNeeds },
  { name: '0013-asked-times', ...askedTimes },
  { name: '0014-proofs', ...proofs },
  { name: '0015-passwords', ...passwords },
  { name: '0016-sender-names', ...senderNames },
  { name: '0017-destinations', ...destinations },
  { name: '0018-audit', ...audit },
  { name: '0019-quotas', ...quotas },
  { name: '0020-rotation', ...rotation },
]

/**
 * Brings the schema up to date. Each migration and the note that it ran are one transaction of `transact`,
 * so that one killed half way runs anew at the next start.
 * Throws where the database was written by a newer version of the program.
 */
export async function migrate(
  db: Tx,
  transact: (work: (tx: Tx) => Promise<void>) => Promise<void>,
  list = migrations,
): Promise<string[]> {
  const { pending } = await pendingMigrations(db, list)
  for (const { name, up } of pending) {
    await transact(async (tx) => {
      await up(tx as Kysely<unknown>)
      await sql`insert into schema_migrations values (${name}, ${new Date().toISOString()})`.execute(tx)
    })
  }
  return pending.map((migration) => migration.name)
}

/** The names of the migrations that have run, and those that have to. Throws as `migrate` does. */
export async function pendingMigrations(
  db: Tx,
  list = migrations,
): Promise<{ applied: string[]; pending: Migration[] }> {
  await sql`create table if not exists schema_migrations (name text primary key, applied_at text not null)`.execute(
    db,
  )
  const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(db)
  const applied = rows.map((row) => row.name)
  const unknown = unknownMigrations(applied, list)
  if (unknown.length > 0) {
    throw new Error(`was written by a newer version of this program (it knows ${unknown.join(', ')})`)
  }
  return { applied, pending: list.filter(({ name }) => !applied.includes(name)) }
}

/** Those of these names that only a newer version of the program knows. */
export function unknownMigrations(applied: readonly string[], list = migrations): string[] {
  return applied.filter((name) => !list.some((migration) => migration.name === name))
}
