import type { Tx } from './schema.ts'

/**
 * Creates the search index of received SMS, like that of messages (tables.ts). It is filled after the start
 * (messages/search/indexing.ts); until then older SMS are searched row by row.
 */
export async function createInboxSearch(tx: Tx): Promise<void> {
  const statements =
    tx.engine === 'postgres'
      ? [
          `create table inbox_search (id bigint primary key, ids bigint[] not null, pieces int4[] not null)`,
          `create index inbox_search_by_piece on inbox_search using gin (pieces) with (gin_pending_list_limit = 256)`,
          `create table inbox_search_reach (id bigint not null, given bigint not null, before bigint not null)`,
          `insert into inbox_search_reach values (0, 0, 0)`,
        ]
      : [
          `create virtual table inbox_search using fts5(
            text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram remove_diacritics 1')`,
          `create table inbox_search_reach (id integer not null)`,
          `insert into inbox_search_reach values (0)`,
          `create trigger inbox_search_forgets after delete on inbox begin
            delete from inbox_search where rowid = old.id;
            update inbox_search_reach set id = ${NEWEST} where id > ${NEWEST}; end`,
          `create trigger inbox_search_moves after update of sms_from on inbox
            when old.id <= (select id from inbox_search_reach) begin
            delete from inbox_search where rowid = old.id;
            insert into inbox_search (rowid, text) values (new.id, new.text || char(10) || new.sms_from); end`,
        ]
  for (const statement of statements) await tx.query(statement)
}

const NEWEST = '(select coalesce(max(inbox.id), 0) from inbox)'
