import { type Kysely, sql } from 'kysely'
import { isPostgres } from '#server/database/dialect.ts'

/**
 * An index of three characters each over texts and numbers, on SQLite: by it a part of a text is found among millions.
 * It keeps no texts, and no places in them; what it has is filled in behind the messages (insight/log/indexing.ts).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db)) return
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create virtual table message_search using fts5(
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')`,
  `create table message_search_reach (id integer not null)`,
  `insert into message_search_reach values (0)`,
  `create trigger message_search_forgets after delete on messages begin
    delete from message_search where rowid = old.id; end`,
]
