import type { ConversationStatus } from '@sdd/contract/people/conversations.ts'
import { fold } from '@sdd/storage/fold.ts'
import { isIn, limit, perEngine, plannedEachTime, sql, when } from '@sdd/storage/sql.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { LIKE, likePart } from '#server/database/like.ts'
import type { Tx } from '#server/database/schema.ts'
import { foldedName } from '#server/people/contacts/contacts.ts'
import { anySpelling } from '#server/messages/search/spelling.ts'
import {
  ASSIGNED,
  type Below,
  COLUMNS,
  type ConversationFilter,
  type ConversationRow,
  FURTHER,
  type Page,
  UNASSIGNED,
  UNREAD_ONLY,
} from './store.ts'

/** A text, and how numbers that have it are stored. */
export type Searched = { text: string; numbers: readonly string[] }

/** The messages that may have a text, and the last id in the index. */
export type SearchedIn = { ids: readonly number[]; reaches: number }

export function conversationSearch(tx: Tx, scope: Scope) {
  return {
    /** Those of these conversations that have the text in their number, their contact's name or a message. */
    among: async (rows: readonly ConversationRow[], search: Searched) => {
      const ids = rows.map(({ id }) => id)
      const found = ids.length > 0 ? await tx.rows(AMONG, { ids, ...partsOf(search) }) : []
      const matching = new Set(found.map(({ id }) => id))
      return rows.filter(({ id }) => matching.has(id))
    },

    /**
     * The conversations of the scope with this text, newest activity first. It looks at these candidates, and at all
     * messages that are stored later than the index reaches.
     */
    search: (
      search: Searched,
      { sent, received }: { sent: SearchedIn; received: SearchedIn },
      { status, ...filter }: Omit<ConversationFilter, 'status'> & { status: ConversationStatus | undefined },
      below: Below | undefined,
      limit: number,
    ) =>
      tx.rows(SEARCH, {
        ...within(scope),
        ...filter,
        status,
        limit,
        ...partsOf(search),
        sent_ids: sent.ids,
        sent_after: sent.reaches,
        received_ids: received.ids,
        received_after: received.reaches,
        at: below?.at,
        below: below?.id,
      }),
  }
}

export function partsOf({ text, numbers: [digits, number] }: Searched): Parts {
  return {
    part: fold(text),
    spelled: anySpelling(text),
    name: likePart(foldedName(text)),
    digits: digits === undefined ? undefined : likePart(digits),
    number: number === undefined ? undefined : likePart(number),
  }
}

export type Parts = {
  part: string
  spelled: string
  name: string
  digits: string | undefined
  number: string | undefined
}

/** Ignores case and accents. */
export const hasText = (column: string) =>
  perEngine({ sqlite: `contains_folded(${column}, :part)`, postgres: `${column} ~ :spelled` })
const hasNumber = (column: string) =>
  [
    when('digits')`or ${column} ${LIKE} :digits escape '\\'`,
    when('number')`or ${column} ${LIKE} :number escape '\\'`,
  ] as const
const HAS_NAME = `contacts.name_key like :name escape '\\'`

/** Not `exists`, which PostgreSQL may answer by reading the whole table once. */
const AMONG = sql<{ id: number }, { ids: readonly number[] } & Parts>`
  select id from conversations where ${isIn('id', 'ids')}
    and (false ${hasNumber('number')[0]} ${hasNumber('number')[1]}
      or 1 = (select 1 from contacts where contacts.company_id = conversations.company_id
        and contacts.number = conversations.number and ${HAS_NAME} limit 1)
      or 1 = (select 1 from inbox where inbox.company_id = conversations.company_id
        and sms_from = conversations.number and ${hasText('text')} limit 1)
      or 1 = (select 1 from typed_sms where typed_sms.company_id = conversations.company_id
        and sms_to = conversations.number and ${hasText('text')} limit 1)
      or 1 = (select 1 from messages where messages.company_id = conversations.company_id
        and message_to = conversations.number and ${hasText('message')} limit 1))`

/** The plus keeps SQLite from an index, through which each row is looked up by itself. */
const OF_COMPANY = when(
  'company_id',
)`and ${perEngine({ sqlite: '+company_id', postgres: 'company_id' })} = :company_id`

type Search = Partial<Omit<Page, 'company_id' | 'status' | 'limit'>> &
  Parts &
  InScope & {
    limit: number
    status: string | undefined
    sent_ids: readonly number[]
    sent_after: number
    received_ids: readonly number[]
    received_after: number
  }

const SENT_HAS = [hasText('message'), ...hasNumber('message_to')] as const
export const RECEIVED_HAS = [hasText('text'), ...hasNumber('sms_from')] as const

const TYPED_HAS = [hasText('text'), ...hasNumber('sms_to')] as const

const SEARCH = sql<ConversationRow, Search>`
  with found (company_id, number) as (
    select company_id, number from contacts where ${HAS_NAME} ${OF_COMPANY}
    union all select company_id, sms_from from inbox where ${isIn('inbox.id', 'received_ids')}
      and (${RECEIVED_HAS[0]} ${RECEIVED_HAS[1]} ${RECEIVED_HAS[2]}) ${OF_COMPANY}
    union all select company_id, sms_from from inbox where inbox.id > :received_after
      and (${RECEIVED_HAS[0]} ${RECEIVED_HAS[1]} ${RECEIVED_HAS[2]}) ${OF_COMPANY}
    union all select company_id, sms_to from typed_sms
      where (${TYPED_HAS[0]} ${TYPED_HAS[1]} ${TYPED_HAS[2]}) ${OF_COMPANY}
    union all select company_id, message_to from messages where ${isIn('messages.id', 'sent_ids')}
      and (${SENT_HAS[0]} ${SENT_HAS[1]} ${SENT_HAS[2]}) ${OF_COMPANY}
    union all select company_id, message_to from messages where messages.id > :sent_after
      and (${SENT_HAS[0]} ${SENT_HAS[1]} ${SENT_HAS[2]}) ${OF_COMPANY})
  select ${COLUMNS} from conversations where (company_id, number) in (select company_id, number from found)
    ${when('status')`and status = :status`} ${FURTHER} ${ASSIGNED} ${UNASSIGNED} ${UNREAD_ONLY}
  order by last_at desc, id desc ${limit()} ${plannedEachTime()}`
