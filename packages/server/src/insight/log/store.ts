import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { companyIds } from '#server/accounts/companies/companies.ts'
import type { Scope } from '#server/core/context.ts'
import { numberKey } from '#server/core/number-key.ts'
import { inList, isPostgres, lastNineText, listValue, runText } from '#server/database/dialect.ts'
import { rowsOf } from '#server/database/direct.ts'
import type { Messages, Tx } from '#server/database/schema.ts'
import type { MessageRow } from '#server/messages/messages/store.ts'

/** Messages to a number that ends with these digits, nine at least; or the message of a guid, spelled in either way. */
export type Named = { number: string } | { guids: readonly [string, string] }

export type MessageFilter = {
  device_uid?: string | undefined
  /** A guid's beginning, digits of a number, or a part of the text. */
  search?: string | undefined
  named?: Named | undefined
  state?: MessageState | undefined
  errors?: boolean | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Ids from `from` (all there are, where it is absent) to below `below`; where they are named, of these alone. */
export type Part = { from?: number; below: number; ids?: readonly number[] }

/** What the list and the file show of a message, and what says why it waits. */
const columns = [
  'id',
  'company_id',
  'guid',
  'device_id',
  'device_guid',
  'message',
  'message_to',
  'queue_timestamp',
  'handed_timestamp',
  'answer_sent_timestamp',
  'anwer_sent',
  'answer_2_timestamp',
  'answer_2',
  'notes',
  'answer_3',
  'answer_3_timestamp',
  'error',
  'error_msg',
  'error_timestamp',
  'error_block',
  'state',
  'step',
  'attempt',
  'parts',
  'due_at',
  'expires_at',
  'lane',
  'lane_until',
  'from_number',
  'avoid_device_id',
  'discard_asked_at',
] as const
export type LogRow = Pick<MessageRow, (typeof columns)[number]>
const COLUMNS = columns.join(', ')

/** What the log shows of the scope's messages. */
export function logStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('messages')
    .$if(scope !== 'all', (query) =>
      query.where('messages.company_id', '=', (scope as { company_id: number }).company_id),
    )

  /** Those in this step; in any, where it is absent. */
  async function inStep(
    step: Messages['step'] | undefined,
    filter: MessageFilter,
    { from, below, ids }: Part,
    limit: number,
    upwards = false,
  ): Promise<LogRow[]> {
    const where = ['id < ?']
    const values: unknown[] = [below]
    const and = (condition: string, ...its: readonly unknown[]) => {
      where.push(condition)
      values.push(...its)
    }
    if (scope !== 'all') and('company_id = ?', scope.company_id)
    if (from !== undefined) and('id >= ?', from)
    if (ids !== undefined) and(`id ${inList(tx)}`, listValue(tx, ids))
    if (filter.device_uid !== undefined) and('device_guid = ?', filter.device_uid)
    if (step !== undefined) and(inState(step), filter.state)
    if (filter.errors === true) and('error is not null')
    if (filter.from !== undefined) and('queue_timestamp >= ?', filter.from)
    if (filter.to !== undefined) and('queue_timestamp <= ?', filter.to)
    if (filter.search) and(...matching(tx, filter.search))
    if (filter.named !== undefined) and(...isNamed(tx, scope, filter.named))
    // SQLite takes an index that has this order before one that leads to a guid, unless it has to sort anyway.
    const order = filter.named !== undefined && 'guids' in filter.named ? '+id' : 'id'
    const text = `select ${COLUMNS} from messages where ${where.join(' and ')} order by ${order} ${upwards ? 'asc' : 'desc'} limit ${limit}`
    return runText<LogRow>(tx, text, values)
  }

  /**
   * The newest of all there are below an id. As many ids as rows are asked for are most often those; they are read upwards, as
   * the system then reads ahead: where they come from the disk, in a third of the time.
   */
  async function newest({ from: last = 1, below }: Part, limit: number): Promise<LogRow[]> {
    const from = Math.max(last, below - limit)
    const rows = await inStep(undefined, {}, { from, below }, limit, true)
    rows.reverse()
    if (rows.length < limit && from > last)
      rows.push(...(await inStep(undefined, {}, { from: last, below: from }, limit - rows.length)))
    return rows
  }

  return {
    /** Those that match, the newest first. */
    async slice(filter: MessageFilter, part: Part, limit: number) {
      const asksAll = Object.values(filter).every((value) => value === undefined || value === false)
      if (asksAll && part.ids === undefined && part.below < Number.MAX_SAFE_INTEGER)
        return newest(part, limit)
      const [step, other] = stepsOf(filter.state)
      const rows = await inStep(step, filter, part, limit)
      if (other === undefined) return rows
      rows.push(...(await inStep(other, filter, part, limit)))
      // One that was given meanwhile is there twice.
      const each = [...new Map(rows.map((row) => [row.id, row])).values()]
      return each.sort((one, another) => another.id - one.id).slice(0, limit)
    },

    /** Below an id, where it is given; 0 where there is none. */
    newestId: async (below?: number): Promise<number> => {
      const row = await inScope
        .select((select) => select.fn.max<number | null>('messages.id').as('id'))
        .$if(below !== undefined, (query) => query.where('messages.id', '<', below!))
        .executeTakeFirst()
      return row?.id ?? 0
    },

    /** Whether there is such a message. */
    has: async (named: Named): Promise<boolean> => {
      const [where, ...values] = isNamed(tx, scope, named)
      return (await runText(tx, `select id from messages where ${where} limit 1`, values)).length > 0
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
 * The index of what can be searched for in texts and numbers on SQLite (see pieces/store.ts for PostgreSQL): it follows
 * behind the messages.
 */
export function searchIndex(tx: Tx) {
  return {
    /** It has the messages up to this id. */
    reaches: async (): Promise<number> => (await rowsOf<{ id: number }>(tx, REACHES))[0]!.id,

    /** The newest ids from `from` to below `below` that may match: each row has to be looked at. */
    candidates: async (terms: string, { from, below }: Required<Omit<Part, 'ids'>>, limit: number) => {
      const rows = await rowsOf<{ id: number }>(tx, CANDIDATES, [terms, from, below, limit])
      return rows.map(({ id }) => id)
    },

    /** What it has of the newest messages, and of as many from the oldest to the newest. */
    sample: async (messages: number): Promise<string[]> => {
      const [ends] = await rowsOf<{ oldest: number; newest: number }>(tx, ENDS)
      const { oldest, newest } = ends!
      const step = (newest - oldest) / messages
      const spread = Array.from({ length: messages }, (_, place) => Math.floor(oldest + place * step))
      const rows = await rowsOf<{ text: string }>(tx, SAMPLE, [listValue(tx, spread), messages])
      return rows.map(({ text }) => text)
    },

    isBehind: async (): Promise<boolean> => (await rowsOf(tx, BEHIND)).length > 0,
  }
}

const REACHES = 'select id from message_search_reach'
const BEHIND = 'select id from messages where id > (select id from message_search_reach) limit 1'
const TEXT = 'message || char(10) || message_to as text'
const ENDS = `select coalesce((select min(id) from messages), 0) as oldest,
  coalesce((select max(id) from messages), 0) as newest`
const SAMPLE = `select ${TEXT} from messages where id in (select value from json_each(?))
  union all select * from (select ${TEXT} from messages order by id desc limit ?)`
/** One transaction takes in so many: some two milliseconds. */
const STEP_ROWS = 200
const STEP = `from messages where id > (select id from message_search_reach) order by id limit ${STEP_ROWS}`
/** Takes some messages more into the index, and says whether there are as many again. */
export const EXTEND: readonly string[] = [
  `insert into message_search (rowid, text) select id, ${TEXT} ${STEP}`,
  `update message_search_reach set id = coalesce((select max(id) from (select id ${STEP})), id)`,
  `select count(*) = ${STEP_ROWS} as more from (select 1 ${STEP})`,
]

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
function inState(step: Messages['step']): string {
  return step === 'finished'
    ? `step = 'finished' and state = ?`
    : `step <> 'finished' and step = '${step}' and state = ?`
}

/** The digits of a number as they may be stored, however they were typed. */
export function digitsOf(search: string): string {
  return search.replace(/[\s.()-]/g, '')
}

/** By what an index has in each company: guids, and what tells numbers apart. */
function isNamed(tx: Tx, scope: Scope, named: Named): [condition: string, ...values: unknown[]] {
  const [company, ...of] =
    scope === 'all' ? ['company_id in (select id from companies)'] : ['company_id = ?', scope.company_id]
  if ('guids' in named) return [`${company} and guid in (?, ?)`, ...of, ...named.guids]
  const { number } = named
  const where = `${company} and ${lastNineText(tx, 'message_to')} = ? and message_to like ?`
  return [where, ...of, numberKey(number), `%${number}`]
}

function matching(tx: Tx, search: string): [condition: string, ...values: string[]] {
  const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')
  const [text, digits] = [escaped(search), escaped(digitsOf(search))]
  const has = (column: string) => `${column} ${isPostgres(tx) ? 'ilike' : 'like'} ? escape '\\'`
  // Every number has nothing in it: what is no part of a number finds none.
  if (digits === '') return [`(${has('guid')} or ${has('message')})`, `${text}%`, `%${text}%`]
  const where = `(${has('guid')} or ${has('message_to')} or ${has('message')})`
  return [where, `${text}%`, `%${digits}%`, `%${text}%`]
}
