import { type Kysely, sql } from 'kysely'
import { isPostgres } from '#server/database/dialect.ts'

/**
 * SQLite gives the id of a newest message again once that is removed: the search index reaches no further than what is
 * left then, or it would take the next ones for messages that it has.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db)) return
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const newest = '(select coalesce(max(messages.id), 0) from messages)'

const statements = [
  `drop trigger message_search_forgets`,
  `create trigger message_search_forgets after delete on messages begin
    delete from message_search where rowid = old.id;
    update message_search_reach set id = ${newest} where id > ${newest}; end`,
  `update message_search_reach set id = ${newest} where id > ${newest}`,
]
