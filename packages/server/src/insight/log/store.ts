import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { isIn, limit, perEngine, sql, sqliteSql, when } from '@sdd/storage/sql.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { numberKey, numberKeyOf } from '#server/core/number-key.ts'
import type { Messages, Tx } from '#server/database/schema.ts'
import type { MessageRow } from '#server/messages/messages/store.ts'

/** Messages to a number that ends with these digits, at least nine, or the message with a guid in either spelling. */
export type Named = { number: string } | { guids: readonly [string, string] }

export type MessageFilter = {
  device_uid?: string | undefined
  /** The start of a guid, digits of a number, or a part of the text. */
  search?: string | undefined
  named?: Named | undefined
  state?: MessageState | undefined
  errors?: boolean | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Ids from `from` (the lowest by default) and below `below`; with `ids`, only these. */
export type Part = { from?: number; below: number; ids?: readonly number[] }

/** The columns of the list and the file, and the columns that explain why a message is waiting. */
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
  /** Messages in this step, or in any if it is absent. */
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
   * The newest messages below an id. Mostly, these are as many consecutive ids as `limit`. They are read upwards
   * because the system then reads ahead: from disk this takes a third of the time.
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
    /** The matching messages, newest first. */
    async slice(filter: MessageFilter, part: Part, limit: number) {
      const asksAll = Object.values(filter).every((value) => value === undefined || value === false)
      if (asksAll && part.ids === undefined && part.below < Number.MAX_SAFE_INTEGER)
        return newest(part, limit)
      const [step, other] = stepsOf(filter.state)
      const rows = await inStep(step, filter, part, limit)
      if (other === undefined) return rows
      rows.push(...(await inStep(other, filter, part, limit)))
      // A message that was given between the two queries is in both results.
      const each = [...new Map(rows.map((row) => [row.id, row])).values()]
      return each.sort((one, another) => another.id - one.id).slice(0, limit)
    },

    /** The newest id, below `below` if it is given; 0 if there is none. */
    newestId: async (below?: number): Promise<number> =>
      (await tx.first(NEWEST_ID, { below, ...within(scope) }))?.id ?? 0,

    /** Whether there is such a message. */
    has: async (named: Named): Promise<boolean> =>
      (await tx.first(HAS, { ...byName(named, scope), ...within(scope) })) !== undefined,

    /** The ids of messages with guids between two texts, at most `limit`. */
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

/** The steps of messages in a state. Each is queried on its own, as an index has it in the order of ids. */
function stepsOf(state: MessageState | undefined): Messages['step'][] {
  if (state === undefined) return []
  if (state === 'queued') return ['waiting', 'given']
  return [state === 'handed' ? 'given' : 'finished']
}

function searched(search: string | undefined): Searched {
  if (!search) return {}
  const escaped = (text: string) => text.replace(/[\\%_]/g, '\\$&')
  const [text, digits] = [escaped(search), escaped(digitsOf(search))]
  // Every number contains the empty text, so a search without digits must not match numbers.
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
/** Makes an index that begins with the company usable. */
const IN_EVERY_COMPANY = when('every_company')`and company_id in (select id from companies)`
const HAS_GUID = when('guid')`and guid in (:guid, :other_guid)`
const HAS_NUMBER = when('number_key')`
  and ${numberKeyOf('message_to')} = :number_key and message_to like :number_end`
const LIKE = perEngine({ sqlite: 'like', postgres: 'ilike' })

/**
 * Two of the states belong to unfinished messages, and the indexes are split by that. SQLite prefers an index in the
 * order of ids to one for guids, unless it must sort anyway: hence the plus.
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

/** The digits of a typed number, in the form in which numbers are stored. */
export function digitsOf(search: string): string {
  return search.replace(/[\s.()-]/g, '')
}

/** The index for texts and numbers on SQLite (pieces.store.ts for PostgreSQL). It lags behind the messages. */
export function searchIndex(tx: Tx) {
  return {
    /** The index contains the messages up to this id. */
    reaches: async (): Promise<number> => (await tx.first(REACHES))!.id,

    /** The newest ids from `from` and below `below` that may match: check each row. */
    async candidates(terms: string, { from, below }: Required<Omit<Part, 'ids'>>, limit: number) {
      const rows = await tx.rows(CANDIDATES, { terms, from, below, limit })
      return rows.map(({ id }) => id)
    },

    /** Texts of the newest messages, and of as many spread evenly over the log. */
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

/** FTS5 uses a limit on rowid only if it is an integer. Numbers of JavaScript arrive as floats, hence the cast. */
const CANDIDATES = sqliteSql<{ id: number }, { terms: string; from: number; below: number; limit: number }>`
  select rowid as id from message_search where message_search match :terms
    and rowid >= cast(:from as integer) and rowid < cast(:below as integer) order by rowid desc limit :limit + 0`

/** Messages to index in one transaction, which takes some two milliseconds. */
const STEP_ROWS = 200
const STEP = `from messages where id > (select id from message_search_reach) order by id limit ${STEP_ROWS}`
/** Indexes some more messages, and tells whether a full step is left. */
export const EXTEND: readonly string[] = [
  `insert into message_search (rowid, text) select id, ${TEXT} ${STEP}`,
  `update message_search_reach set id = coalesce((select max(id) from (select id ${STEP})), id)`,
  `select count(*) = ${STEP_ROWS} as more from (select 1 ${STEP})`,
]
