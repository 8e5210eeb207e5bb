import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { isIn, limit, perEngine, sql, sqliteSql, when } from '@sdd/storage/sql.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { numberKey, numberKeyOf } from '#server/core/number-key.ts'
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

/** The columns that the list and the file show, and those that explain why a message is waiting. */
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

/** The log's view of the scope's messages. */
export function logStore(tx: Tx, scope: Scope) {
  /** Those in this step; in any, if it is absent. */
  const inStep = (
    step: Messages['step'] | undefined,
    filter: MessageFilter,
    part: Part,
    limit: number,
  ): Promise<LogRow[]> =>
    tx.rows(MATCHING, {
      ...within(scope),
      ...searched(filter.search),
      ...byName(filter.named, scope),
      first: part.from,
      below: part.below,
      ids: part.ids,
      device_uid: filter.device_uid,
      ...(step && { [step]: filter.state }),
      errors: filter.errors || undefined,
      from: filter.from,
      to: filter.to,
      limit,
    })

  /**
   * The newest of all there are below an id. As many ids as rows are asked for are most often those; they are read
   * upwards, as the system then reads ahead: if they come from the disk, in a third of the time.
   */
  async function newest({ from: last = 1, below }: Part, limit: number): Promise<LogRow[]> {
    const first = Math.max(last, below - limit)
    const rows = await tx.rows(UPWARDS, { first, below, limit, ...within(scope) })
    rows.reverse()
    if (rows.length < limit && first > last)
      rows.push(...(await inStep(undefined, {}, { from: last, below: first }, limit - rows.length)))
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

    /** Below an id, if it is given; 0 if there is none. */
    newestId: async (below?: number): Promise<number> =>
      (await tx.first(NEWEST_ID, { below, ...within(scope) }))?.id ?? 0,

    /** Whether there is such a message. */
    has: async (named: Named): Promise<boolean> =>
      (await tx.first(HAS, { ...byName(named, scope), ...within(scope) })) !== undefined,

    /** The ids of guids from one text to another, at most `limit`. */
    async idsByGuid(from: string, until: string, limit: number): Promise<number[]> {
      const rows = await tx.rows(IDS_BY_GUID, {
        from,
        until,
        limit,
        ...everyCompany(scope),
        ...within(scope),
      })
      return rows.map(({ id }) => id)
    },
  }
}

/** The steps that messages of a state are in: each is asked by itself, as an index has it in the order of the ids. */
function stepsOf(state: MessageState | undefined): Messages['step'][] {
  if (state === undefined) return []
  if (state === 'queued') return ['waiting', 'given']
  return [state === 'handed' ? 'given' : 'finished']
}

function searched(search: string | undefined): Searched {
  if (!search) return {}
  const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')
  const [text, digits] = [escaped(search), escaped(digitsOf(search))]
  // Every number contains the empty text: a search without digits finds no number.
  return { beginning: `${text}%`, digits: digits === '' ? undefined : `%${digits}%`, part: `%${text}%` }
}

function byName(named: Named | undefined, scope: Scope): ByName {
  if (named === undefined) return {}
  if ('guids' in named) return { ...everyCompany(scope), guid: named.guids[0], other_guid: named.guids[1] }
  const { number } = named
  return { ...everyCompany(scope), number_key: numberKey(number), number_end: `%${number}` }
}

function everyCompany(scope: Scope): EveryCompany {
  return { every_company: scope === 'all' || undefined }
}

type Searched = { beginning?: string; digits?: string | undefined; part?: string }
type EveryCompany = { every_company?: true | undefined }
type ByName = EveryCompany & { guid?: string; other_guid?: string; number_key?: string; number_end?: string }
type InStep = { [Step in Messages['step']]?: MessageState | undefined }

type Matching = InScope &
  InStep &
  Searched &
  ByName & {
    first: number | undefined
    below: number
    ids: readonly number[] | undefined
    device_uid: string | undefined
    errors: true | undefined
    from: string | undefined
    to: string | undefined
    limit: number
  }

const COLUMNS = columns.join(', ')
const IN_SCOPE = when('company_id')`and company_id = :company_id`
/** For an index that begins with the company. */
const IN_EVERY_COMPANY = when('every_company')`and company_id in (select id from companies)`
const HAS_GUID = when('guid')`and guid in (:guid, :other_guid)`
const HAS_NUMBER = when('number_key')`
  and ${numberKeyOf('message_to')} = :number_key and message_to like :number_end`
const LIKE = perEngine({ sqlite: 'like', postgres: 'ilike' })

/**
 * Of the states, two are of messages that are not finished: the indexes are made by that. SQLite takes an index that has
 * the order of the ids before one that leads to a guid, unless it has to sort anyway: hence the plus.
 */
const MATCHING = sql<LogRow, Matching>`
  select ${COLUMNS} from messages where id < :below ${IN_SCOPE} ${when('first')`and id >= :first`}
    ${when('ids')`and ${isIn('id', 'ids')}`} ${when('device_uid')`and device_guid = :device_uid`}
    ${when('waiting')`and step <> 'finished' and step = 'waiting' and state = :waiting`}
    ${when('given')`and step <> 'finished' and step = 'given' and state = :given`}
    ${when('finished')`and step = 'finished' and state = :finished`}
    ${when('errors')`and error is not null`}
    ${when('from')`and queue_timestamp >= :from`} ${when('to')`and queue_timestamp <= :to`}
    ${when('beginning')`and (guid ${LIKE} :beginning escape '\\'
      ${when('digits')`or message_to ${LIKE} :digits escape '\\'`} or message ${LIKE} :part escape '\\')`}
    ${IN_EVERY_COMPANY} ${HAS_GUID} ${HAS_NUMBER}
  order by ${when('guid')`+`}id desc ${limit()}`

const UPWARDS = sql<LogRow, InScope & { first: number; below: number; limit: number }>`
  select ${COLUMNS} from messages where id < :below ${IN_SCOPE} and id >= :first order by id ${limit()}`

const NEWEST_ID = sql<{ id: number | null }, InScope & { below: number | undefined }>`
  select max(id) as id from messages where true ${IN_SCOPE} ${when('below')`and id < :below`}`

const HAS = sql<{ id: number }, InScope & ByName>`
  select id from messages where true ${IN_SCOPE} ${IN_EVERY_COMPANY} ${HAS_GUID} ${HAS_NUMBER} limit 1`

const IDS_BY_GUID = sql<
  { id: number },
  InScope & EveryCompany & { from: string; until: string; limit: number }
>`
  select id from messages where guid >= :from and guid < :until ${IN_SCOPE} ${IN_EVERY_COMPANY} ${limit()}`

/** The digits of a number as they may be stored, however they were typed. */
export function digitsOf(search: string): string {
  return search.replace(/[\s.()-]/g, '')
}

/**
 * The index of what can be searched for in texts and numbers on SQLite (see pieces.store.ts for PostgreSQL): it follows
 * behind the messages.
 */
export function searchIndex(tx: Tx) {
  return {
    /** It has the messages up to this id. */
    reaches: async (): Promise<number> => (await tx.first(REACHES))!.id,

    /** The newest ids from `from` to below `below` that may match: each row has to be looked at. */
    async candidates(terms: string, { from, below }: Required<Omit<Part, 'ids'>>, limit: number) {
      const rows = await tx.rows(CANDIDATES, { terms, from, below, limit })
      return rows.map(({ id }) => id)
    },

    /** Texts of the newest messages, and of as many from the oldest to the newest. */
    async sample(messages: number): Promise<string[]> {
      const { oldest, newest } = (await tx.first(ENDS))!
      const step = (newest - oldest) / messages
      const ids = Array.from({ length: messages }, (_, index) => Math.floor(oldest + index * step))
      const rows = await tx.rows(SAMPLE, { ids, messages })
      return rows.map(({ text }) => text)
    },

    isBehind: async (): Promise<boolean> => (await tx.first(BEHIND)) !== undefined,
  }
}

const REACHES = sql<{ id: number }>`select id from message_search_reach`

const BEHIND = sql<{ id: number }>`
  select id from messages where id > (select id from message_search_reach) limit 1`

const ENDS = sql<{ oldest: number; newest: number }>`
  select coalesce((select min(id) from messages), 0) as oldest,
    coalesce((select max(id) from messages), 0) as newest`

const TEXT = 'message || char(10) || message_to as text'

const SAMPLE = sqliteSql<{ text: string }, { ids: readonly number[]; messages: number }>`
  select ${TEXT} from messages where id in (select value from json_each(:ids))
    union all select * from (select ${TEXT} from messages order by id desc limit :messages + 0)`

/** FTS5 begins where it is told only by whole numbers, and those of JavaScript arrive as fractions: the cast is needed. */
const CANDIDATES = sqliteSql<{ id: number }, { terms: string; from: number; below: number; limit: number }>`
  select rowid as id from message_search where message_search match :terms
    and rowid >= cast(:from as integer) and rowid < cast(:below as integer) order by rowid desc limit :limit + 0`

/** One transaction takes in this many: some two milliseconds. */
const STEP_ROWS = 200
const STEP = `from messages where id > (select id from message_search_reach) order by id limit ${STEP_ROWS}`
/** Takes some more messages into the index, and tells whether there are as many again. */
export const EXTEND: readonly string[] = [
  `insert into message_search (rowid, text) select id, ${TEXT} ${STEP}`,
  `update message_search_reach set id = coalesce((select max(id) from (select id ${STEP})), id)`,
  `select count(*) = ${STEP_ROWS} as more from (select 1 ${STEP})`,
]
