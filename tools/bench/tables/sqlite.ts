import { DatabaseSync } from 'node:sqlite'
import type { Part, Tables } from '../tables.ts'

/** Each look has a connection of its own, so that no snapshot keeps the server from a checkpoint. */
export function openSqliteTables(path: string): Tables {
  function look<Row>(statement: string, ...values: string[]): Row[] {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 30_000 })
    try {
      return db.prepare(statement).all(...values) as Row[]
    } finally {
      db.close()
    }
  }
  const one = <Row>(statement: string, ...values: string[]) => look<Row>(statement, ...values)[0]!

  return {
    async sizes(tables) {
      return tables.map((table) => {
        const { rows } = one<{ rows: number }>(`select count(*) as rows from ${table}`)
        const { bytes } = one<{ bytes: number }>(BYTES_OF_TABLE, table)
        return { table, rows, bytes }
      })
    },
    async bytes() {
      return one<{ bytes: number }>(
        'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
      ).bytes
    },
    async parts() {
      const parts = look<Part>(BYTES_OF_PARTS)
      const { bytes } = one<{ bytes: number }>(
        'select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size',
      )
      return [...parts, { name: 'free pages', bytes }]
    },
    async unindexed() {
      return one<{ count: number }>(
        'select count(*) as count from messages where id > (select id from message_search_reach)',
      ).count
    },
    close: async () => {},
  }
}

/** `name = …` makes dbstat read only the pages of this table or index (https://sqlite.org/dbstat.html). */
const BYTES_OF_TABLE = `select sum((select sum(pgsize) from dbstat where name = sqlite_master.name and aggregate = true))
    as bytes from sqlite_master where tbl_name = ? and rootpage > 0`

/** The search index has several tables. */
const BYTES_OF_PARTS = `select case
      when of_what.tbl_name like 'message\\_search%' escape '\\' then 'message_search'
      when of_what.type = 'index' then 'indexes of ' || of_what.tbl_name
      else coalesce(of_what.tbl_name, dbstat.name) end as name, sum(pgsize) as bytes
  from dbstat left join sqlite_master as of_what on of_what.name = dbstat.name
  where aggregate = true group by 1`
