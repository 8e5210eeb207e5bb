import { connect, patientSettingsOf } from '../../../packages/storage/src/postgres/connection.ts'
import type { Part, Size, Tables } from '../tables.ts'

export async function openPostgresTables(url: string): Promise<Tables> {
  const session = await connect(patientSettingsOf(url))
  const look = async <Row>(statement: string) => (await session.send(statement)).rows as Row[]
  const one = async <Row>(statement: string) => (await look<Row>(statement))[0]!

  return {
    sizes: (tables) =>
      Promise.all(
        tables.map((table) =>
          one<Size>(
            `select '${table}' as table, count(*) as rows, pg_total_relation_size('${table}') as bytes from ${table}`,
          ),
        ),
      ),
    async bytes() {
      await session.send('vacuum')
      return (await one<{ bytes: number }>('select pg_database_size(current_database()) as bytes')).bytes
    },
    parts: () => look<Part>(BYTES_OF_PARTS),
    async unindexed() {
      const { count } = await one<{ count: number }>(
        'select count(*) as count from messages where id > (select id from message_search_reach)',
      )
      return count
    },
    close: () => session.close(),
  }
}

/** The partitions of a table count as the table. */
const BYTES_OF_PARTS = `select name, sum(bytes) as bytes from (
    select coalesce(pg_partition_root(oid), oid)::regclass::text as name, pg_table_size(oid) as bytes
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    union all
    select 'indexes of ' || coalesce(pg_partition_root(oid), oid)::regclass::text, pg_indexes_size(oid)
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    union all
    select 'PostgreSQL''s own tables', sum(pg_total_relation_size(oid))
      from pg_class where relkind = 'r' and relnamespace = 'pg_catalog'::regnamespace) as parts
  group by 1`
