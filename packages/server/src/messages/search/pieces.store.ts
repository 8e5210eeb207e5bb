import { plannedEachTime, postgresSql } from '@sdd/storage/sql.ts'
import { openYielding } from '#server/core/loop.ts'
import { MONTH_IDS } from '#server/database/months/layout.ts'
import type { Tx } from '#server/database/schema.ts'
import { type Indexed, indexed, type IndexedTable } from './indexed.ts'
import { piecesOf } from './pieces.ts'

/** Messages per row of the index. Their pieces are mostly the same. */
const TOGETHER = 8

/**
 * The index for texts and numbers on PostgreSQL. A row contains the pieces of three characters of several consecutive
 * messages. It lags behind the messages, and that of sent ones has the same months.
 */
export function pieceStore(tx: Tx, table: Indexed) {
  const statements = STATEMENTS[table]
  return {
    /** The index contains the messages up to this id. */
    reaches: async (): Promise<number> => (await tx.first(statements.REACH))!.id,

    /** Whether enough messages are waiting to be indexed. */
    isBehind: async (): Promise<boolean> => (await tx.first(statements.BEHIND)) !== undefined,

    /**
     * Unordered ids of the messages of a range that may have all pieces of one of these lists: check each row. `undefined`
     * if there are more than `limit`.
     */
    async candidates(
      lists: readonly (readonly number[])[],
      { from, below }: { from: number; below: number },
      limit: number,
    ): Promise<number[] | undefined> {
      const any = lists.map((_, list) => `pieces @> cast(:pieces_${list} as int4[])`).join(' or ')
      const most = Math.ceil(limit / TOGETHER)
      const rows = await tx.query<{ ids: string[] | number[] }>(
        `select ids from ${indexed[table].index} where id >= :from and id < :below and (${any}) limit :most ${PLANNED}`,
        {
          from,
          below,
          most,
          ...Object.fromEntries(lists.map((pieces, list) => [`pieces_${list}`, pieces])),
        },
      )
      if (rows.length === most) return undefined
      return rows.flatMap(({ ids }) => ids.map(Number)).filter((id) => id < below)
    },

    /**
     * Indexes at most this many more messages. Returns how many. A message gets its id before its transaction commits,
     * so this stops at ids given before any open transaction began.
     */
    async extend(messages: number): Promise<number> {
      const reach = await tx.first(statements.TAKE_REACH)
      // Another server has the lock, or an open transaction may still commit a lower id.
      if (!reach?.ended) return 0
      const rows = await tx.rows(statements.UNINDEXED, { after: reach.id, last: reach.given, messages })
      const groups = groupsOf(rows)
      const rowsOfIndex = []
      const yieldToEventLoop = openYielding()
      for (const group of groups) {
        const ids = group.map(({ id }) => id)
        rowsOfIndex.push({ id: ids[0]!, ids, pieces: piecesOf(group.map(({ text }) => text)) })
        await yieldToEventLoop()
      }
      // Sent together, and answered together.
      await Promise.all(rowsOfIndex.map((row) => tx.run(statements.INDEX, row)))
      const taken = groups.flat()
      if (taken.length > 0) await tx.run(statements.REACHED, { id: taken.at(-1)!.id })
      else {
        const { given } = (await tx.first(statements.LAST_GIVEN))!
        // A second statement, so that its snapshot knows every transaction with an id up to `given`.
        await tx.run(statements.GIVEN, { given })
      }
      return taken.length
    },
  }
}

type Row = { id: number; text: string }
type Reach = { id: number; given: number; ended: boolean }

/** Groups consecutive messages of one month. A group that is too small waits for more messages. */
function groupsOf(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  let group: Row[] = []
  for (const row of rows) {
    const sameMonth = group[0] === undefined || monthOf(group[0].id) === monthOf(row.id)
    if (!sameMonth) {
      groups.push(group)
      group = []
    }
    group.push(row)
    if (group.length === TOGETHER) {
      groups.push(group)
      group = []
    }
  }
  return groups
}

function monthOf(id: number): number {
  return Math.floor(id / MONTH_IDS)
}

const PLANNED = plannedEachTime()({ engine: 'postgres', writing: false })

/** `before` is later than every transaction if a restore brought it from another cluster. */
const reachText = (index: string) =>
  `select id, given, pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= before
    or pg_snapshot_xmax(pg_current_snapshot())::text::bigint < before as ended from ${index}_reach`

const statementsOf = ({ table, text, number, index, ids }: IndexedTable) => ({
  REACH: postgresSql<Reach>`${reachText(index)}`,

  TAKE_REACH: postgresSql<Reach>`${reachText(index)} for update skip locked`,

  BEHIND: postgresSql<{ id: number }>`
    select id from ${table} where id > (select id from ${index}_reach) limit 1 offset ${String(TOGETHER - 1)}`,

  UNINDEXED: postgresSql<Row, { after: number; last: number; messages: number }>`
    select id, ${text} || chr(10) || ${number} as text from ${table}
      where id > :after and id <= :last order by id limit :messages`,

  INDEX: postgresSql<never, { id: number; ids: readonly number[]; pieces: readonly number[] }>`
    insert into ${index} (id, ids, pieces) values (:id, :ids, :pieces)`,

  REACHED: postgresSql<never, { id: number }>`update ${index}_reach set id = :id`,

  LAST_GIVEN: postgresSql<{ given: number }>`select last_value as given from ${ids}`,

  GIVEN: postgresSql<never, { given: number }>`
    update ${index}_reach
      set given = :given, before = pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
})

const STATEMENTS = { messages: statementsOf(indexed.messages), inbox: statementsOf(indexed.inbox) }
