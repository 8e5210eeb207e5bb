import type { Migration } from '../packages/storage/src/migrate.ts'
import { migrations } from '../packages/server/src/database/migrations.ts'
import type { Schema } from '../packages/server/src/database/schema.ts'

/** The migrations of a later version, of every kind: a new table, a copied one, and changes of every row. */
export const LATER: readonly Migration<Schema>[] = [
  ...migrations,
  {
    name: '9998-later',
    async up(tx) {
      await tx.query(
        'create table notes (id integer primary key, message_id integer not null, note text not null)',
      )
      await tx.query('alter table messages add column later text')
      const rows = await tx.query<{ id: number }>('select id from messages order by id')
      for (const { id } of rows) {
        await tx.query('update messages set later = message where id = :id', { id })
        await tx.query(`insert into notes (message_id, note) values (:id, 'later')`, { id })
      }
    },
  },
  {
    name: '9999-copied',
    async up(tx) {
      await tx.query('create table notes_0003 (id integer primary key, message_id integer, note text)')
      await tx.query('insert into notes_0003 (id, message_id, note) select id, message_id, note from notes')
      await tx.query('drop table notes')
      await tx.query('alter table notes_0003 rename to notes')
      await tx.query('create index notes_by_message on notes (message_id)')
    },
  },
]
