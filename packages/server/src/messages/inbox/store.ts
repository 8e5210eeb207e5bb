import { perEngine, postgresSql, sql, tuples } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import { nextIdOf } from '#server/database/kept-ids.ts'
import { lockInbox } from './order.ts'
import type { Inbox, Tx, TypedSms } from '#server/database/schema.ts'

export function inboxStore(tx: Tx) {
  return {
    /**
     * The id of the stored SMS; `undefined` if the device has sent this one before. A company's ids are in the order of
     * their commits: on PostgreSQL, the next SMS of the company waits for this commit.
     */
    insert: async (sms: NewSms): Promise<number | undefined> => {
      if (tx.writing) await tx.run(HOLD_ORDER, sms)
      return (await tx.first(INSERT, sms))?.id
    },

    /** The id of the stored SMS; `undefined` if the device has sent this one before. */
    insertTyped: async (sms: Omit<TypedSms, 'id'>): Promise<number | undefined> =>
      (await tx.first(INSERT_TYPED, sms))?.id,

    /** How many SMS of this device have arrived since then, those typed on it included. */
    countSince: async (company_id: number, device_id: number, since: string): Promise<number> =>
      (await tx.first(COUNT_SINCE, { company_id, device_id, since }))!.count,

    /** SMS of these devices that arrived since then and reply to no message, oldest first. */
    answeringNothing: (
      devices: readonly { company_id: number; device_id: number; since: string }[],
    ): Promise<InboxRow[]> =>
      tx.rows(ANSWERING_NOTHING, {
        devices: devices.map(({ company_id, device_id, since }) => [company_id, device_id, since] as const),
      }),

    answer: (id: number, message_id: number) => tx.update('inbox', { id }, { message_id }),
  }
}

export type InboxRow = Pick<
  Selectable<Inbox>,
  'id' | 'device_id' | 'sms_from' | 'text' | 'sms_at' | 'received_at'
>

type NewSms = Omit<Inbox, 'id'>

const ID = perEngine({ sqlite: 'id, ', postgres: '' })
const nextId = (table: 'inbox' | 'typed_sms') => perEngine({ sqlite: `${nextIdOf(table)}, `, postgres: '' })

const INSERT = sql<Pick<InboxRow, 'id'>, NewSms>`
  insert into inbox (${ID}company_id, device_id, sms_id, sms_from, text, sms_at, received_at, sim, message_id)
  values (${nextId('inbox')}:company_id, :device_id, :sms_id, :sms_from, :text, :sms_at, :received_at, :sim, :message_id)
  on conflict (device_id, sms_id) do nothing returning id`

const INSERT_TYPED = sql<Pick<InboxRow, 'id'>, Omit<TypedSms, 'id'>>`
  insert into typed_sms (${ID}company_id, device_id, sms_id, sms_to, text, sms_at, stored_at, sim)
  values (${nextId('typed_sms')}:company_id, :device_id, :sms_id, :sms_to, :text, :sms_at, :stored_at, :sim)
  on conflict (device_id, sms_id) do nothing returning id`

const HOLD_ORDER = postgresSql<never, { company_id: number }>`
  select ${lockInbox(':company_id')}`

const COUNT_SINCE = sql<{ count: number }, { company_id: number; device_id: number; since: string }>`
  select (select count(*) from inbox
      where company_id = :company_id and received_at > :since and device_id = :device_id)
    + (select count(*) from typed_sms
      where company_id = :company_id and stored_at > :since and device_id = :device_id) as count`

/** The plus keeps the index of the company out, which leads to all that its devices have received since then. */
const ANSWERING_NOTHING = sql<
  InboxRow,
  { devices: readonly (readonly [company_id: number, device_id: number, since: string])[] }
>`
  with asked (company_id, device_id, since) as (${tuples('devices', ['bigint', 'bigint', 'text'])})
  select inbox.id, inbox.device_id, sms_from, text, sms_at, received_at from inbox
  join (select distinct company_id, device_id, since from asked) as asked
    on +inbox.company_id = asked.company_id and received_at >= since and inbox.device_id = asked.device_id
  where message_id is null order by inbox.id limit 10000`
