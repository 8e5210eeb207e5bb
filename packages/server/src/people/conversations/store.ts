import {
  type ConversationCounts,
  type ConversationStatus,
  MOST_COUNTED,
} from '@sdd/contract/people/conversations.ts'
import type { Role } from '@sdd/contract/core/roles.ts'
import { isIn, limit, locked, plannedEachTime, shared, sql, when } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Conversations } from '#server/database/people-tables.ts'
import type { Change, Inbox, Tx, TypedSms } from '#server/database/schema.ts'
import { type Message, selectAnywhere } from '#server/messages/messages/rows.ts'

export type ConversationRow = Selectable<Conversations>

/** The position of a page: below this one, by the time of the last message and the id. */
export type Below = { at: string; id: number }

export type ConversationFilter = {
  status: ConversationStatus
  assigned_to?: number | undefined
  /** Assigned to no user. */
  unassigned?: true | undefined
  unread?: true | undefined
}

export function conversationStore(tx: Tx, scope: Scope) {
  return {
    companies: async (): Promise<number[]> =>
      scope === 'all' ? (await tx.rows(COMPANIES)).map(({ id }) => id) : [scope.company_id],

    /** The matching conversations of a company, newest activity first. */
    page: (company_id: number, filter: ConversationFilter, below: Below | undefined, limit: number) =>
      tx.rows(PAGE, {
        company_id,
        limit,
        status: filter.status,
        assigned_to: filter.assigned_to,
        unassigned: filter.unassigned,
        unread: filter.unread,
        at: below?.at,
        below: below?.id,
      }),

    /** Open conversations of a company: all, those of this user and those of no user, each up to `MOST_COUNTED`. */
    count: async (company_id: number, user_id: number): Promise<ConversationCounts> =>
      (await tx.first(COUNT, { company_id, user_id }))!,

    /** Locks the row in a write. */
    byNumber: (company_id: number, number: string) =>
      tx.first(BY_NUMBER, { of: company_id, number, ...within(scope) }),

    update: (id: number, change: Change<Conversations>) => tx.update('conversations', { id }, change),
  }
}

/** What the rows of conversations point to. */
export function conversationDetails(tx: Tx) {
  return {
    messages: async (ids: readonly number[]): Promise<Map<number, SentRow>> =>
      byId(ids.length > 0 ? await tx.rows(MESSAGES, { ids }) : []),

    received: async (ids: readonly number[]): Promise<Map<number, ReceivedRow>> =>
      byId(ids.length > 0 ? await tx.rows(RECEIVED, { ids }) : []),

    typed: async (ids: readonly number[]): Promise<Map<number, TypedRow>> =>
      byId(ids.length > 0 ? await tx.rows(TYPED, { ids }) : []),

    /** The number of unread SMS of these conversations, by id. Those without any have no entry. */
    async unread(ids: readonly number[]): Promise<Map<number, number>> {
      const rows = await tx.rows(UNREAD, { ids })
      return new Map(rows.map(({ id, count }) => [id, count]))
    },

    async contactNames(company_id: number, numbers: readonly string[]): Promise<Map<string, string | null>> {
      const rows = await tx.rows(CONTACTS, { company_id, numbers })
      return new Map(rows.map(({ number, name }) => [number, name]))
    },

    async userNames(ids: readonly number[]): Promise<Map<number, string>> {
      const rows = ids.length > 0 ? await tx.rows(USERS, { ids }) : []
      return new Map(rows.map(({ id, name }) => [id, name]))
    },
  }
}

/** The messages of a conversation. */
export function threadStore(tx: Tx, company_id: number, number: string) {
  const of = { company_id, number }
  return {
    /** Newest first, with ids below `below`. */
    sent: (below: number, limit: number) => tx.rows(SENT, { ...of, below, limit }),
    received: (below: number, limit: number) => tx.rows(RECEIVED_FROM, { ...of, below, limit }),
    typed: (below: number, limit: number) => tx.rows(TYPED_TO, { ...of, below, limit }),

    sentBy: (id: number) => tx.first(SENT_ONE, { ...of, id }),
    receivedBy: (id: number) => tx.first(RECEIVED_ONE, { ...of, id }),
    typedBy: (id: number) => tx.first(TYPED_ONE, { ...of, id }),

    /** The last received SMS that was stored until then, or whose id is below this; 0 if there is none. */
    lastReceived: async ({ until, below }: { until?: string; below?: number }): Promise<number> =>
      (await tx.first(LAST_RECEIVED, { ...of, until, below }))?.id ?? 0,

    byGuid: (guid: string) => tx.first(BY_GUID, { ...of, guid }),
  }
}

/** A linked device, with the last snapshot of its networks. */
export function linkedDevice(tx: Tx, company_id: number, id: number) {
  return tx.first(LINKED_DEVICE, { company_id, id })
}

/** An enabled user of the company. Changing this user waits for the commit. */
export function enabledUser(tx: Tx, company_id: number, id: number) {
  return tx.first(ENABLED_USER, { company_id, id })
}

/** Ends the assignments to this user, or in this company, of those who may no longer read its conversations. */
export function endAssignments(tx: Tx, of: { user_id: number } | { company_id: number }): Promise<void> {
  return tx.run(END_ASSIGNMENTS, { user_id: undefined, company_id: undefined, ...of })
}

const sentColumns = [
  'id',
  'company_id',
  'guid',
  'message',
  'message_to',
  'parts',
  'priority',
  'queue_timestamp',
  'state',
  'step',
  'error_msg',
  'device_guid',
  'sim',
  'device_id',
  'answer_sent_timestamp',
  'attempt',
  'due_at',
  'expires_at',
  'assigned_at',
  'handed_timestamp',
  'look_at',
  'lane',
  'lane_until',
  'from_number',
  'via',
  'task',
  'api_key_id',
  'queued_by',
  'avoid_device_id',
  'discard_asked_at',
] as const satisfies readonly (keyof Message)[]
export type SentRow = Pick<Message, (typeof sentColumns)[number]>

export type ReceivedRow = Pick<
  Selectable<Inbox>,
  'id' | 'company_id' | 'sms_from' | 'text' | 'sms_at' | 'received_at' | 'sim'
> & { device_uid: string; device_id: number }

export type TypedRow = Pick<
  Selectable<TypedSms>,
  'id' | 'company_id' | 'sms_to' | 'text' | 'sms_at' | 'stored_at' | 'sim'
> & { device_uid: string; device_id: number }

function byId<Row extends { id: number }>(rows: readonly Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [row.id, row]))
}

const COMPANIES = sql<{ id: number }>`select id from companies`

/** Of a row of conversations. */
export const COLUMNS =
  'id, company_id, number, status, assigned_to, last_at, message_id, inbox_id, typed_id, read_id'

/** The position of a page, and conditions that may be absent. */
export type Page = {
  company_id: number
  status: string
  limit: number
  at: string | undefined
  below: number | undefined
  assigned_to: number | undefined
  unassigned: true | undefined
  unread: true | undefined
}

export const FURTHER = when('at')`and (last_at, id) < (:at, :below)`
export const ASSIGNED = when('assigned_to')`and assigned_to = :assigned_to`
export const UNASSIGNED = when('unassigned')`and assigned_to is null`
export const UNREAD_ONLY = when('unread')`and inbox_id > read_id`

const PAGE = sql<ConversationRow, Page>`
  select ${COLUMNS} from conversations where company_id = :company_id and status = :status
    ${FURTHER} ${ASSIGNED} ${UNASSIGNED} ${UNREAD_ONLY}
  order by last_at desc, id desc ${limit()} ${plannedEachTime()}`

function counted(condition: string): string {
  return `(select count(*) from (select 1 from conversations
    where company_id = :company_id and status = 'open' ${condition} limit ${MOST_COUNTED}) as counted)`
}

const COUNT = sql<ConversationCounts, { company_id: number; user_id: number }>`
  select ${counted('')} as open, ${counted('and assigned_to = :user_id')} as mine,
    ${counted('and assigned_to is null')} as unassigned`

const BY_NUMBER = sql<ConversationRow, { of: number; number: string } & InScope>`
  select ${COLUMNS} from conversations
  where company_id = :of and number = :number ${when('company_id')`and company_id = :company_id`}
  ${locked('conversations')}`

const MESSAGES = sql<SentRow, { ids: readonly number[] }>`
  ${selectAnywhere(sentColumns)} and ${isIn('messages.id', 'ids')}`

const SMS = `select inbox.id, inbox.company_id, sms_from, text, sms_at, received_at, sim, device_id, uid as device_uid
  from inbox join devices on devices.id = device_id`

const RECEIVED = sql<ReceivedRow, { ids: readonly number[] }>`${SMS} where ${isIn('inbox.id', 'ids')}`

const TYPED_SMS = `
  select typed_sms.id, typed_sms.company_id, sms_to, text, sms_at, stored_at, sim, device_id, uid as device_uid
  from typed_sms join devices on devices.id = device_id`

const TYPED = sql<TypedRow, { ids: readonly number[] }>`${TYPED_SMS} where ${isIn('typed_sms.id', 'ids')}`

const UNREAD = sql<{ id: number; count: number }, { ids: readonly number[] }>`
  select id, (select count(*) from (select 1 from inbox where inbox.company_id = conversations.company_id
      and sms_from = number and inbox.id > read_id limit ${String(MOST_COUNTED)}) as counted) as count
  from conversations where ${isIn('id', 'ids')} and inbox_id > read_id`

const CONTACTS = sql<
  { number: string; name: string | null },
  { company_id: number; numbers: readonly string[] }
>`
  select number, name from contacts where company_id = :company_id and ${isIn('number', 'numbers')}`

const USERS = sql<{ id: number; name: string }, { ids: readonly number[] }>`
  select id, name from users where ${isIn('id', 'ids')}`

type Thread = { company_id: number; number: string }
type Slice = Thread & { below: number; limit: number }

const OUR_MESSAGES = `${selectAnywhere(sentColumns)}
  and messages.company_id = :company_id and message_to = :number`
const OUR_SMS = `${SMS} where inbox.company_id = :company_id and sms_from = :number`

const OUR_TYPED = `${TYPED_SMS} where typed_sms.company_id = :company_id and sms_to = :number`

const SENT = sql<SentRow, Slice>`
  ${OUR_MESSAGES} and messages.id < :below order by messages.id desc ${limit()}`

const RECEIVED_FROM = sql<ReceivedRow, Slice>`
  ${OUR_SMS} and inbox.id < :below order by inbox.id desc ${limit()}`

const TYPED_TO = sql<TypedRow, Slice>`
  ${OUR_TYPED} and typed_sms.id < :below order by typed_sms.id desc ${limit()}`

const SENT_ONE = sql<SentRow, Thread & { id: number }>`${OUR_MESSAGES} and messages.id = :id`

const RECEIVED_ONE = sql<ReceivedRow, Thread & { id: number }>`${OUR_SMS} and inbox.id = :id`

const TYPED_ONE = sql<TypedRow, Thread & { id: number }>`${OUR_TYPED} and typed_sms.id = :id`

const BY_GUID = sql<SentRow, Thread & { guid: string }>`${OUR_MESSAGES} and guid = :guid`

const LAST_RECEIVED = sql<
  { id: number | null },
  Thread & { until: string | undefined; below: number | undefined }
>`
  select max(id) as id from inbox where company_id = :company_id and sms_from = :number
    ${when('until')`and received_at <= :until`} ${when('below')`and id < :below`}`

const LINKED_DEVICE = sql<
  { id: number; uid: string; networks: string | null },
  { company_id: number; id: number }
>`
  select id, uid, networks from devices where id = :id and company_id = :company_id and unlinked_at is null
  ${locked('devices')}`

const ENABLED_USER = sql<{ id: number; role: Role }, { company_id: number; id: number }>`
  select id, role from users where id = :id and "companyId" = :company_id and enabled = 1 ${shared('users')}`

const END_ASSIGNMENTS = sql<never, { user_id: number | undefined; company_id: number | undefined }>`
  update conversations set assigned_to = null where assigned_to is not null
    ${when('user_id')`and assigned_to = :user_id`} ${when('company_id')`and company_id = :company_id`}
    and not exists (select 1 from users join settings on settings.company_id = users."companyId"
      where users.id = assigned_to and enabled = 1 and users."companyId" = conversations.company_id
        and (inbox_role = 'user' or role <> 'user'))`
