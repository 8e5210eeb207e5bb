import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { isIn, limit, perEngine, plannedEachTime, sql, type Statement, when } from '@sdd/storage/sql.ts'
import { fold } from '@sdd/storage/fold.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import { LIKE, likePart } from '#server/database/like.ts'
import type { Tx } from '#server/database/schema.ts'
import { anySpelling } from '#server/messages/search/spelling.ts'
import { type Message, type MessagePlace, selectAnywhere, selectIn } from '#server/messages/messages/rows.ts'

/** Messages to this number, or the message with a guid in either spelling. */
export type Named = { number: string } | { guids: readonly [string, string] }

export type MessageFilter = {
  device_uid?: string | undefined
  /** The start of a guid, digits of a number, or a part of the text. */
  search?: string | undefined
  named?: Named | undefined
  states?: readonly MessageState[] | undefined
  errors?: boolean | undefined
  /** The failure code. */
  error?: string | undefined
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
  'priority',
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
  'assigned_at',
  'look_at',
  'lane',
  'lane_until',
  'from_number',
  'via',
  'task',
  'api_key_id',
  'avoid_device_id',
  'discard_asked_at',
] as const satisfies readonly (keyof Message)[]
export type LogRow = Pick<Message, (typeof columns)[number]>

/** The log's view of the scope's messages. */
export function logStore(tx: Tx, scope: Scope) {
  /** Messages of this kind; of this device, or of any. */
  function inPlace(
    { place, state }: Kind,
    filter: MessageFilter,
    part: Part,
    limit: number,
    device_id?: number,
  ): Promise<LogRow[]> {
    return tx.rows(place === undefined ? ANYWHERE : MATCHING[place], {
      ...within(scope),
      ...searched(filter.search),
      ...byName(filter.named, scope),
      first: part.from,
      below: part.below,
      ids: part.ids,
      device_id,
      ...(state && stateIn(place, state)),
      errors: filter.errors || undefined,
      error: filter.error,
      from: filter.from,
      to: filter.to,
      limit,
    })
  }

  /**
   * The newest messages below an id. Mostly, these are as many consecutive ids as `limit`. They are read upwards
   * because the system then reads ahead: from disk this takes a third of the time.
   */
  async function newest({ from: last = 1, below }: Part, limit: number): Promise<LogRow[]> {
    const first = Math.max(last, below - limit)
    const rows = await tx.rows(UPWARDS, { first, below, limit, ...within(scope) })
    rows.reverse()
    if (rows.length < limit && first > last)
      rows.push(...(await inPlace({}, {}, { from: last, below: first }, limit - rows.length)))
    return rows
  }

  return {
    /** The matching messages, newest first. */
    async slice(filter: MessageFilter, part: Part, limit: number) {
      const asksAll = Object.values(filter).every((value) => value === undefined || value === false)
      if (asksAll && part.ids === undefined && part.below < Number.MAX_SAFE_INTEGER)
        return newest(part, limit)
      const kinds = kindsOf(filter)
      const devices: (number | undefined)[] =
        filter.device_uid === undefined
          ? [undefined]
          : (await tx.rows(DEVICES, { uid: filter.device_uid, ...within(scope) })).map(({ id }) => id)
      const rows: LogRow[] = []
      for (const device_id of devices)
        for (const kind of kinds) rows.push(...(await inPlace(kind, filter, part, limit, device_id)))
      if (kinds.length === 1 && devices.length === 1) return rows
      // A message that moved on between two queries is in both results: the later one counts.
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

/** A place and a state. Each absent one means any. */
type Kind = { place?: MessagePlace | undefined; state?: MessageState | undefined }

/** What must be read for such messages, in the order in which a message moves. Each kind has its own index. */
function kindsOf({ states, errors, error, device_uid }: MessageFilter): Kind[] {
  const failed = errors || error !== undefined
  if (states !== undefined) {
    const kinds = states.flatMap((state) => placesOf(state).map((place) => ({ place, state })))
    return kinds.filter(({ place }) => !failed || place === 'outcomes').sort(inOrder)
  }
  if (failed) return [{ place: 'outcomes' }]
  return device_uid === undefined ? [{}] : PLACES.map((place) => ({ place }))
}

/** A message moves through them in this order. */
const PLACES: readonly MessagePlace[] = ['queue', 'in_flight', 'outcomes']

function inOrder(one: { place: MessagePlace }, other: { place: MessagePlace }): number {
  return PLACES.indexOf(one.place) - PLACES.indexOf(other.place)
}

/** The places that can have messages in this state. */
function placesOf(state: MessageState): MessagePlace[] {
  switch (state) {
    case 'queued':
      return ['queue', 'in_flight']
    case 'handed':
      return ['in_flight']
    case 'sent':
      return ['in_flight', 'outcomes']
    case 'cancelled':
    case 'delivered':
    case 'expired':
    case 'failed':
    case 'replied':
    case 'uncertain':
      return ['outcomes']
  }
}

/** The condition for a state in this place. In the queue, all messages have the same one. */
function stateIn(place: MessagePlace | undefined, state: MessageState): InState {
  if (place === 'outcomes') return { state }
  return place === 'in_flight' ? { [state]: true } : {}
}

function searched(search: string | undefined): Searched {
  if (!search) return {}
  const digits = dropSeparators(search)
  return {
    typed: search,
    lowered: search.toLowerCase(),
    // Every number contains the empty text, so a search without digits must not match numbers.
    digits: digits === '' ? undefined : likePart(digits),
    part: fold(search),
    spelled: anySpelling(search),
  }
}

function byName(named: Named | undefined, scope: Scope): ByName {
  if (named === undefined) return {}
  if ('guids' in named) return { ...everyCompany(scope), guid: named.guids[0], other_guid: named.guids[1] }
  const { number } = named
  return { ...everyCompany(scope), number }
}

function everyCompany(scope: Scope): EveryCompany {
  return { every_company: scope === 'all' || undefined }
}

type Searched = {
  typed?: string
  lowered?: string
  digits?: string | undefined
  part?: string
  spelled?: string
}
type EveryCompany = { every_company?: true | undefined }
type ByName = EveryCompany & { guid?: string; other_guid?: string; number?: string }
type InState = { state?: MessageState; queued?: true; handed?: true; sent?: true }

type Matching = InScope &
  InState &
  Searched &
  ByName & {
    first: number | undefined
    below: number
    ids: readonly number[] | undefined
    device_id: number | undefined
    errors: true | undefined
    error: string | undefined
    from: string | undefined
    to: string | undefined
    limit: number
  }

const IN_SCOPE = when('company_id')`and messages.company_id = :company_id`
/** Makes an index that begins with the company usable. */
const IN_EVERY_COMPANY = when('every_company')`and messages.company_id in (select id from companies)`
const HAS_GUID = when('guid')`and guid in (:guid, :other_guid) ${IN_SCOPE}`
const HAS_NUMBER = when('number')`and message_to = :number ${IN_SCOPE}`
/** As the index of guids finds it: see `idsByGuid` in search.ts. */
const HAS_BEGINNING = `substr(guid, 1, length(cast(:typed as text))) in (:typed, :lowered)`
/** Ignores case and accents. */
const HAS_PART = perEngine({ sqlite: 'contains_folded(message, :part)', postgres: 'message ~ :spelled' })

const DEVICES = sql<{ id: number }, InScope & { uid: string }>`
  select id from devices where uid = :uid ${when('company_id')`and company_id = :company_id`}`

type Condition = ReturnType<typeof when> extends (...given: never) => infer Made ? Made : never

/**
 * The conditions of one place. The company is that of the place, if it has one. With a condition on the company of each
 * table, PostgreSQL expects too few rows, and reads all that match instead of a page.
 */
const OWN: Record<MessagePlace | 'messages', readonly Condition[]> = {
  messages: [IN_SCOPE],
  queue: [
    when('company_id')`and queue.company_id = :company_id`,
    when('device_id')`and queue.device_id = :device_id`,
  ],
  in_flight: [
    IN_SCOPE,
    when('device_id')`and in_flight.device_id = :device_id`,
    when('queued')`and completed_at is null and handed_timestamp is null`,
    when('handed')`and completed_at is null and handed_timestamp is not null`,
    when('sent')`and completed_at is not null`,
  ],
  outcomes: [
    when('company_id')`and outcomes.company_id = :company_id`,
    when('device_id')`and outcomes.device_id = :device_id`,
    when('state')`and outcomes.state = :state`,
    when('errors')`and outcomes.error is not null`,
    when('error')`and outcomes.error = :error`,
  ],
}

/** SQLite prefers an index in the order of ids to one for guids, unless it must sort anyway: hence the plus. */
function matching(place: MessagePlace | 'messages', text: string): Statement<LogRow, Matching> {
  const [one = '', two = '', three = '', four = '', five = ''] = OWN[place]
  return sql<LogRow, Matching>`
  ${text} and ${place}.id < :below ${when('first')`and ${place}.id >= :first`}
    ${when('ids')`and ${isIn('messages.id', 'ids')}`}
    ${one} ${two} ${three} ${four} ${five}
    ${when('from')`and queue_timestamp >= :from`} ${when('to')`and queue_timestamp <= :to`}
    ${when('typed')`and (${HAS_BEGINNING}
      ${when('digits')`or message_to ${LIKE} :digits escape '\\'`} or ${HAS_PART})`}
    ${IN_EVERY_COMPANY} ${HAS_GUID} ${HAS_NUMBER}
  order by ${when('guid')`+`}${place}.id desc ${limit()} ${plannedEachTime()}`
}

const ANYWHERE = matching('messages', selectAnywhere(columns))

const MATCHING: Record<MessagePlace, Statement<LogRow, Matching>> = {
  queue: matching('queue', selectIn('queue', columns)),
  in_flight: matching('in_flight', selectIn('in_flight', columns)),
  outcomes: matching('outcomes', selectIn('outcomes', columns)),
}

const UPWARDS = sql<LogRow, InScope & { first: number; below: number; limit: number }>`
  ${selectAnywhere(columns)} and messages.id < :below ${IN_SCOPE} and messages.id >= :first
  order by messages.id ${limit()}`

const NEWEST_ID = sql<{ id: number | null }, InScope & { below: number | undefined }>`
  select max(id) as id from messages where true ${IN_SCOPE} ${when('below')`and id < :below`}`

const HAS = sql<{ id: number }, InScope & ByName>`
  select id from messages where true ${IN_SCOPE} ${IN_EVERY_COMPANY} ${HAS_GUID} ${HAS_NUMBER} limit 1`

const IDS_BY_GUID = sql<
  { id: number },
  InScope & EveryCompany & { from: string; until: string; limit: number }
>`
  select id from messages where guid >= :from and guid < :until ${IN_SCOPE} ${IN_EVERY_COMPANY} ${limit()}`
