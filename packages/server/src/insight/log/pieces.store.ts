import { postgresSql, sql } from '@sdd/storage/sql.ts'
import { MONTH_IDS } from '#server/database/months/layout.ts'
import type { Tx } from '#server/database/schema.ts'
import { piecesOf } from './pieces.ts'

/** Messages per row of the index: their pieces are mostly the same. */
const TOGETHER = 8

/**
 * The index for texts and numbers on PostgreSQL. A row contains the pieces of three characters of several consecutive
 * messages. It lags behind the messages, and has the same months.
 */
export function pieceStore(tx: Tx) {
  return {
    /** The index contains the messages up to this id. */
    reaches: async (): Promise<number> => (await tx.first(REACH))!.id,

    /** Whether enough messages are waiting to be indexed. */
    isBehind: async (): Promise<boolean> => (await tx.first(BEHIND)) !== undefined,

    /**
     * Unordered ids of a month's messages that may have all pieces of one of these lists: check each row. `undefined`
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
        `select ids from message_search where id >= :from and id < :below and (${any}) limit :most`,
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
      const reach = await tx.first(TAKE_REACH)
      // Another server has the lock, or an open transaction may still commit a lower id.
      if (!reach?.ended) return 0
      const rows = await tx.rows(UNINDEXED, { after: reach.id, last: reach.given, messages })
      const groups = groupsOf(rows)
      for (const group of groups) {
        const ids = group.map(({ id }) => id)
        await tx.run(INDEX, { id: ids[0]!, ids, pieces: piecesOf(group.map(({ text }) => text)) })
      }
      const taken = groups.flat()
      if (taken.length > 0) await tx.run(REACHED, { id: taken.at(-1)!.id })
      else {
        const { given } = (await tx.first(LAST_GIVEN))!
        // A second statement, so that its snapshot knows every transaction with an id up to `given`.
        await tx.run(GIVEN, { given })
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

const REACH_TEXT = `select id, given, pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= before as ended
  from message_search_reach`

const REACH = postgresSql<Reach>`${REACH_TEXT}`
const TAKE_REACH = postgresSql<Reach>`
  ${REACH_TEXT} for update skip locked`

const BEHIND = sql<{ id: number }>`
  select id from messages where id > (select id from message_search_reach) limit 1 offset ${String(TOGETHER - 1)}`

const UNINDEXED = postgresSql<Row, { after: number; last: number; messages: number }>`
  select id, message || chr(10) || message_to as text from messages
    where id > :after and id <= :last order by id limit :messages`

const INDEX = postgresSql<never, { id: number; ids: readonly number[]; pieces: readonly number[] }>`
  insert into message_search (id, ids, pieces) values (:id, :ids, :pieces)`

const REACHED = sql<never, { id: number }>`update message_search_reach set id = :id`

const LAST_GIVEN = postgresSql<{ given: number }>`
  select last_value as given from messages_ids`

const GIVEN = postgresSql<never, { given: number }>`
  update message_search_reach
    set given = :given, before = pg_snapshot_xmax(pg_current_snapshot())::text::bigint`
