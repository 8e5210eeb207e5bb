import { type Kysely, sql } from 'kysely'
import { inWordsOf } from '#server/database/dialect.ts'

/** Passwords that have to be changed, companies that require a second factor, and names compared by NFKC. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(inWordsOf(db, statement)).execute(db)
  await renewKeys(db)
}

const statements = [
  `alter table users add column must_change_password integer not null default 0`,
  `alter table settings add column require_second_factor integer not null default 0`,
]

type Row = { id: number; name: string; name_key: string; email: string; email_key: string }

/** As names and e-mails are compared from here on. Kept as it was released, whatever the rules become later. */
function keyOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC')
}

/**
 * Gives each name and e-mail its new key. Where two users now have the same, the one whose key stays keeps it, else the
 * earlier one. The other gets its id behind the name, and by an e-mail that is taken it can no longer log in.
 */
async function renewKeys(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Row>`select id, name, name_key, email, email_key from users order by id`.execute(
    db,
  )
  const changes = (row: Row) => keyOf(row.name) !== row.name_key || keyOf(row.email) !== row.email_key
  const taken = new Set(
    rows.flatMap(({ name, name_key, email, email_key }) => [
      ...(keyOf(name) === name_key ? [name_key] : []),
      ...(keyOf(email) === email_key ? [email_key] : []),
    ]),
  )
  for (const row of rows.filter(changes)) {
    const own = { ...row }
    if (keyOf(row.name) !== row.name_key) {
      if (taken.has(keyOf(row.name))) own.name = `${row.name} (${row.id})`
      own.name_key = keyOf(own.name)
    }
    if (keyOf(row.email) !== row.email_key && !taken.has(keyOf(row.email))) own.email_key = keyOf(row.email)
    taken.add(own.name_key).add(own.email_key)
    await sql`update users set name = ${own.name}, name_key = ${own.name_key}, email_key = ${own.email_key}
      where id = ${row.id}`.execute(db)
  }
}
