import { runText } from '#server/database/dialect.ts'
import { MONTH_IDS } from '#server/database/months/layout.ts'
import type { Tx } from '#server/database/schema.ts'
import { piecesOf } from './pieces.ts'

/** Messages whose pieces are together: they have most of them in common. */
const TOGETHER = 8

/**
 * The index of what can be searched for in texts and numbers on PostgreSQL: of some messages in a row, the pieces of three
 * characters that are in any of them. It follows behind the messages, in months as they do.
 */
export function pieceStore(tx: Tx) {
  return {
    /** It has the messages up to this id. */
    reaches: async (): Promise<number> => (await runText<Reach>(tx, REACH))[0]!.id,

    /** Whether there are messages that it does not have and may take in. */
    isBehind: async (): Promise<boolean> => (await runText(tx, BEHIND)).length > 0,

    /**
     * Ids of messages of a month that may have all pieces of one of these lists, in no order: each row has to be looked at.
     * `undefined` where there are more than `limit`.
     */
    async candidates(
      lists: readonly (readonly number[])[],
      { from, below }: { from: number; below: number },
      limit: number,
    ): Promise<number[] | undefined> {
      const any = lists.map(() => 'pieces @> cast(? as int4[])').join(' or ')
      const most = Math.ceil(limit / TOGETHER)
      const rows = await runText<{ ids: string[] | number[] }>(
        tx,
        `select ids from message_search where id >= ? and id < ? and (${any}) limit ?`,
        [from, below, ...lists, most],
      )
      if (rows.length === most) return undefined
      return rows.flatMap(({ ids }) => ids.map(Number)).filter((id) => id < below)
    },

    /**
     * Takes in so many messages more, and returns how many it has taken. Ids are given before what has them is committed:
     * it goes no further than to those that were given before any transaction began that has not ended.
     */
    async extend(messages: number): Promise<number> {
      // Another server has it, or what was given meanwhile may be committed yet.
      const [reach] = await runText<Reach>(tx, `${REACH} for update skip locked`)
      if (!reach?.ended) return 0
      const rows = await runText<Row>(tx, UNINDEXED, [reach.id, reach.given, messages])
      const groups = groupsOf(rows)
      for (const group of groups) {
        const ids = group.map(({ id }) => id)
        await runText(tx, INDEX, [ids[0], ids, piecesOf(group.map(({ text }) => text))])
      }
      const taken = groups.flat()
      if (taken.length > 0) await runText(tx, REACHED, [taken.at(-1)!.id])
      else {
        const [last] = await runText<{ given: number }>(tx, 'select last_value as given from messages_ids')
        // Only now: who was given an id by then is among those that have not ended.
        await runText(tx, GIVEN, [last!.given])
      }
      return taken.length
    },
  }
}

type Row = { id: number; text: string }
type Reach = { id: number; given: number; ended: boolean }

/** In a row, and of one month: those that are too few are taken in with the next. */
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

const REACH = `select id, given, pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= before as ended
  from message_search_reach`
const BEHIND = `select id from messages where id > (select id from message_search_reach) limit 1 offset ${TOGETHER - 1}`
const UNINDEXED = `select id, message || chr(10) || message_to as text from messages
  where id > ? and id <= ? order by id limit ?`
const REACHED = 'update message_search_reach set id = ?'
const GIVEN = `update message_search_reach set given = ?, before = pg_snapshot_xmax(pg_current_snapshot())::text::bigint`
const INDEX = 'insert into message_search (id, ids, pieces) values (?, ?, ?)'
