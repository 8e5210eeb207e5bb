import { sql } from 'kysely'
import type { MessageState } from '@sdd/contract/messages.ts'
import { companyIds } from '#server/companies/companies.ts'
import type { Scope } from '#server/core/context.ts'
import { isIn, isPostgres, like } from '#server/database/dialect.ts'
import { rowsOf, runMany } from '#server/database/direct.ts'
import type { Messages, Tx } from '#server/database/schema.ts'
import { messageColumns } from '#server/messages/store.ts'

export type MessageFilter = {
  device_uid?: string | undefined
  /** A guid's beginning, digits of a number, or a part of the text. */
  search?: string | undefined
  state?: MessageState | undefined
  errors?: boolean | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Ids from `from` (all there are, where it is absent) to below `below`; where they are named, of these alone. */
export type Part = { from?: number; below: number; ids?: readonly number[] }

/** What the log shows of the scope's messages. */
export function logStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('messages')
    .$if(scope !== 'all', (query) =>
      query.where('messages.company_id', '=', (scope as { company_id: number }).company_id),
    )

  /** Those in this step; in any, where it is absent. */
  const inStep = (
    step: Messages['step'] | undefined,
    filter: MessageFilter,
    { from, below, ids }: Part,
    limit: number,
  ) =>
    inScope
      .select(messageColumns)
      .where('messages.id', '<', below)
      .$if(from !== undefined, (query) => query.where('messages.id', '>=', from!))
      .$if(ids !== undefined, (query) => query.where(isIn(tx, 'messages.id', ids!)))
      .$if(filter.device_uid !== undefined, (query) => query.where('device_guid', '=', filter.device_uid!))
      .$if(step !== undefined, (query) => query.where(inState(step!, filter.state!)))
      .$if(filter.errors === true, (query) => query.where('error', 'is not', null))
      .$if(filter.from !== undefined, (query) => query.where('queue_timestamp', '>=', filter.from!))
      .$if(filter.to !== undefined, (query) => query.where('queue_timestamp', '<=', filter.to!))
      .$if(Boolean(filter.search), (query) => query.where(matches(tx, filter.search!)))
      .orderBy('messages.id', 'desc')
      .limit(limit)
      .execute()

  return {
    /** Those that match, the newest first. */
    async slice(filter: MessageFilter, part: Part, limit: number) {
      const [step, other] = stepsOf(filter.state)
      const rows = await inStep(step, filter, part, limit)
      if (other === undefined) return rows
      rows.push(...(await inStep(other, filter, part, limit)))
      // One that was given meanwhile is there twice.
      const each = [...new Map(rows.map((row) => [row.id, row])).values()]
      return each.sort((one, another) => another.id - one.id).slice(0, limit)
    },

    /** 0 where there is none. */
    newestId: async (): Promise<number> => {
      const row = await inScope
        .select((select) => select.fn.max<number | null>('messages.id').as('id'))
        .executeTakeFirst()
      return row?.id ?? 0
    },

    /** The ids of guids from one text to another, at most `limit`. */
    idsByGuid: async (from: string, until: string, limit: number): Promise<number[]> => {
      const rows = await inScope
        .select('id')
        .where('guid', '>=', from)
        .where('guid', '<', until)
        .$if(scope === 'all', (query) => query.where('company_id', 'in', companyIds(tx)))
        .limit(limit)
        .execute()
      return rows.map(({ id }) => id)
    },
  }
}

/**
 * The index of what can be searched for in texts and numbers: it follows behind the messages. SQLite alone has it: there
 * is one process then, which keeps it.
 */
export function searchIndex(tx: Tx) {
  return {
    exists: () => !isPostgres(tx),

    /** It has the messages up to this id. */
    reaches: async (): Promise<number> => (await rowsOf<{ id: number }>(tx, REACHES))[0]!.id,

    /** The newest ids from `from` to below `below` that may match: each row has to be looked at. */
    candidates: async (terms: string, { from, below }: Required<Omit<Part, 'ids'>>, limit: number) => {
      const rows = await rowsOf<{ id: number }>(tx, CANDIDATES, [terms, from, below, limit])
      return rows.map(({ id }) => id)
    },

    /** What it has of the newest messages. */
    sample: async (messages: number): Promise<string[]> =>
      (await rowsOf<{ text: string }>(tx, NEWEST, [messages])).map(({ text }) => text),

    isBehind: async (): Promise<boolean> => (await rowsOf(tx, BEHIND)).length > 0,

    /** Takes in so many messages more, and returns how many it has taken. */
    async extend(messages: number): Promise<number> {
      const after = (await rowsOf<{ id: number }>(tx, REACHES))[0]!.id
      const rows = await rowsOf<{ id: number; text: string }>(tx, UNINDEXED, [after, messages])
      if (rows.length === 0) return 0
      await runMany(
        tx,
        INDEX,
        rows.map(({ id, text }) => [id, text]),
      )
      await runMany(tx, REACH, [[rows.at(-1)!.id]])
      return rows.length
    },
  }
}

const REACHES = 'select id from message_search_reach'
const BEHIND = 'select id from messages where id > (select id from message_search_reach) limit 1'
const REACH = 'update message_search_reach set id = ?'
const TEXT = 'message || char(10) || message_to as text'
const UNINDEXED = `select id, ${TEXT} from messages where id > ? order by id limit ?`
const NEWEST = `select ${TEXT} from messages order by id desc limit ?`
const INDEX = 'insert into message_search (rowid, text) values (?, ?)'
/** FTS5 begins where it is told only by whole numbers, and those of JavaScript arrive as fractions: the cast is needed. */
const CANDIDATES = `select rowid as id from message_search where message_search match ?
  and rowid >= cast(? as integer) and rowid < cast(? as integer) order by rowid desc limit ?`

/** In which steps there are messages of a state: each is asked by itself, as an index has it in the order of the ids. */
function stepsOf(state: MessageState | undefined): Messages['step'][] {
  if (state === undefined) return []
  if (state === 'queued') return ['waiting', 'given']
  return [state === 'handed' ? 'given' : 'finished']
}

/** Of the states, two are of messages that are not finished: the indexes are made by that. */
function inState(step: Messages['step'], state: MessageState) {
  return step === 'finished'
    ? sql<boolean>`step = 'finished' and messages.state = ${state}`
    : sql<boolean>`step <> 'finished' and step = ${step} and messages.state = ${state}`
}

/** The digits of a number as they may be stored, however they were typed. */
export function digitsOf(search: string): string {
  return search.replace(/[\s.()-]/g, '')
}

function matches(tx: Tx, search: string) {
  const text = search.replace(/[\\%_]/g, '\\$&')
  const digits = digitsOf(search).replace(/[\\%_]/g, '\\$&')
  // Every number has nothing in it: what is no part of a number finds none.
  const inNumber = digits === '' ? sql`` : sql`or message_to ${like(tx)} ${`%${digits}%`} escape '\\'`
  return sql<boolean>`(guid ${like(tx)} ${`${text}%`} escape '\\' ${inNumber}
    or message ${like(tx)} ${`%${text}%`} escape '\\')`
}
