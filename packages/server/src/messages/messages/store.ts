import { type Insertable, sql, type Updateable } from 'kysely'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { companyIds } from '#server/accounts/companies/companies.ts'
import type { Scope } from '#server/core/context.ts'
import { isPostgres, lastNine, locked, lockedOrPassed } from '#server/database/dialect.ts'
import { insertRows, listed, lockedText, rowsOf, updateById } from '#server/database/direct.ts'
import { type Change, type Counters, type Messages, TOTALS_ORDER, type Tx } from '#server/database/schema.ts'
import { addUp } from '#server/database/totals.ts'
import { total } from '@sdd/storage/totals.ts'

export const messageColumns = [
  'messages.id',
  'messages.company_id',
  'guid',
  'messages.device_id',
  'device_guid',
  'message',
  'message_to',
  'messages.parts',
  'silent',
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
  'messages.state',
  'step',
  'messages.attempt',
  'due_at',
  'expires_at',
  'completed_at',
  'task',
  'callback_url',
  'api_key_id',
  'lane',
  'lane_until',
  'from_number',
  'avoid_device_id',
  'discard_asked_at',
  'sent_stamp',
  'assigned_at',
] as const

/** What decides in which counters a message is: these change by `moveMessage` alone. */
export const countedColumns = [
  'company_id',
  'device_id',
  'queue_timestamp',
  'handed_timestamp',
  'answer_sent_timestamp',
  'answer_2_timestamp',
  'error',
  'state',
  'completed_at',
] as const
export type Counted = Pick<Messages, (typeof countedColumns)[number]>

/** What reports change of a message, and what decides about that: its text and much else stays unread. */
const reportedColumns = [
  'id',
  'company_id',
  'guid',
  'device_id',
  'message_to',
  'silent',
  'queue_timestamp',
  'handed_timestamp',
  'answer_sent_timestamp',
  'answer_2_timestamp',
  'notes',
  'answer_3_timestamp',
  'error',
  'error_msg',
  'error_timestamp',
  'error_block',
  'state',
  'step',
  'attempt',
  'expires_at',
  'completed_at',
  'task',
  'callback_url',
  'api_key_id',
  'lane',
  'discard_asked_at',
] as const
export type ReportedMessage = Pick<MessageRow, (typeof reportedColumns)[number]>

export type NewMessage = Insertable<Messages>

/** Of a task as it is handed in. */
const newColumns = [
  'company_id',
  'guid',
  'device_id',
  'message',
  'message_to',
  'parts',
  'priority',
  'silent',
  'queued_by',
  'queue_timestamp',
  'error_block',
  'state',
  'step',
  'attempt',
  'due_at',
  'expires_at',
  'task',
  'from_number',
  'sent_stamp',
  'lane',
  'lane_until',
  'asked_times',
  'callback_url',
  'api_key_id',
] as const satisfies readonly (keyof NewMessage)[]

export type MessageRow = NonNullable<Awaited<ReturnType<ReturnType<typeof messageStore>['byGuid']>>>

/** Of one that a user handed in; nearly all come with an API key, whose name is not repeated in each row. */
const usersColumns = [...newColumns, 'queued_by_name'] as const

/** For `addMessages`, which counts them: all of one sender. */
export function insertMessages(tx: Tx, messages: readonly NewMessage[]): Promise<void> {
  const columns = messages[0]?.queued_by ? usersColumns : newColumns
  return insertRows(tx, 'messages', columns, messages)
}

export function messageStore(tx: Tx, scope: Scope) {
  const keyOfNumber = lastNine(tx, 'message_to')
  const inScope = tx
    .selectFrom('messages')
    .$if(scope !== 'all', (query) =>
      query.where('messages.company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    /** For `addMessage`, which counts it. */
    insert: (message: NewMessage) => tx.insertInto('messages').values(message).execute(),

    update: (id: number, change: Updateable<Messages> & { [Column in keyof Counted]?: never }) =>
      tx.updateTable('messages').set(change).where('id', '=', id).execute(),

    /** The newest of that guid: see `scopeOfGuid` for where several companies have one. */
    byGuid: (guid: string) =>
      inScope
        .select(messageColumns)
        .where('guid', '=', guid)
        .$if(scope === 'all', (query) => query.where('company_id', 'in', companyIds(tx)))
        .orderBy('id', 'desc')
        .limit(1)
        .$call(locked(tx, 'messages'))
        .executeTakeFirst(),

    /** Unfinished messages that expired by then, the oldest first: those that a device has accepted, or the others. */
    overdue: (accepted: boolean, expired_at: string, limit: number) =>
      inScope
        .select(messageColumns)
        .where('step', '<>', sql.lit('finished'))
        .where('expires_at', '<=', expired_at)
        .where('handed_timestamp', accepted ? 'is not' : 'is', null)
        .orderBy('expires_at')
        .limit(limit)
        .$call(lockedOrPassed(tx, 'messages'))
        .execute(),

    /** Unfinished messages of a device, whatever became of the device. */
    unfinishedOf: async (device_id: number) => [
      ...(await inScope
        .select(messageColumns)
        .where('device_id', '=', device_id)
        .where('step', '=', sql.lit('waiting'))
        .$call(locked(tx, 'messages'))
        .execute()),
      ...(await inScope
        .select(messageColumns)
        .where('device_id', '=', device_id)
        .where('step', '=', 'given')
        .where('id', 'in', (given) =>
          given
            .selectFrom('attempts')
            .select('message_id')
            .where('attempts.device_id', '=', device_id)
            .where('finished_at', 'is', null),
        )
        .$call(locked(tx, 'messages'))
        .execute()),
    ],

    /** Unfinished messages to a number, by what tells it from others (`numberKey`), the oldest first. */
    unfinishedTo: (number_key: string, step: 'waiting' | 'given', limit: number) =>
      inScope
        .select(messageColumns)
        .where('step', '<>', sql.lit('finished'))
        .where('step', '=', step)
        .where(keyOfNumber, '=', number_key)
        .orderBy('id')
        .limit(limit)
        .$call(locked(tx, 'messages'))
        .execute(),

    /** Whatever waits for the number has expired by then. */
    expireTo: (company_id: number, number_key: string, expires_at: string) =>
      tx
        .updateTable('messages')
        .set({ expires_at })
        .where('company_id', '=', company_id)
        .where('step', '<>', sql.lit('finished'))
        .where('step', '=', 'waiting')
        .where(keyOfNumber, '=', number_key)
        .execute(),

    /** The newest message that the device sent since then to the number of this `numberKey`. */
    sentTo: (device_id: number, key: string, since: string) =>
      inScope
        .select(messageColumns)
        .where('device_id', '=', device_id)
        .where(keyOfNumber, '=', key)
        .where((where) =>
          where.or([
            where('answer_sent_timestamp', 'is not', null),
            where('answer_2_timestamp', 'is not', null),
          ]),
        )
        .$if(isPostgres(tx), (query) => query.where(sql<boolean>`id >= recent_messages()`))
        // Not by the index of that time: it leads to all that the company sent since then.
        .where(sql<boolean>`coalesce(queue_timestamp, '') >= ${since}`)
        .orderBy('id', 'desc')
        .limit(1)
        .$call(locked(tx, 'messages'))
        .executeTakeFirst(),

    /** How many are unfinished, by state. */
    countOpen: (): Promise<{ state: MessageState; count: number }[]> => rowsOf(tx, COUNT_OPEN),
  }
}

/** The companies with a message, or a task, of that guid, ascending. */
export async function companiesOfGuid(tx: Tx, guid: string, among: 'messages' | 'tasks'): Promise<number[]> {
  const rows = await tx
    .selectFrom('messages')
    .select('company_id')
    .where('guid', '=', guid)
    .where('company_id', 'in', companyIds(tx))
    .$if(among === 'tasks', (query) => query.where('task', '=', 1))
    .orderBy('company_id')
    .execute()
  return rows.map(({ company_id }) => company_id)
}

/** For `moveInBooks`, which counts it: changes the message where it is not to be as it was. */
export function changeMessage(
  tx: Tx,
  message: Counted & { readonly id: number },
  change: Change<Messages>,
): Promise<void> {
  return updateById(tx, 'messages', { id: message.id }, change, message)
}

/** Those of these messages, by company and guid, that there are. */
export async function messagesByGuids(tx: Tx, keys: readonly GuidKey[]): Promise<ReportedMessage[]> {
  if (!isPostgres(tx)) return byGuids(tx, keys)
  // Nearly all that anyone asks for by its guid is recent: the other months are not looked into then.
  const recent = await byGuids(tx, keys, ' and id >= recent_messages()')
  if (recent.length === keys.length) return recent
  const found = new Set(recent.map(({ company_id, guid }) => `${company_id} ${guid}`))
  const others = keys.filter(([company_id, guid]) => !found.has(`${company_id} ${guid}`))
  return others.length === 0 ? recent : [...recent, ...(await byGuids(tx, others))]
}

type GuidKey = readonly [company_id: number, guid: string]

function byGuids(tx: Tx, keys: readonly GuidKey[], more = ''): Promise<ReportedMessage[]> {
  const { text, values } = listed(tx, ['bigint', 'text'], keys)
  return rowsOf(
    tx,
    `select ${reportedColumns.join(', ')} from messages where (company_id, guid) in (${text})${more}${lockedText(tx, 'messages')}`,
    values,
  )
}

export function counterStore(tx: Tx) {
  return {
    /** Adds to a counter, which begins at nothing. */
    add: ({ figure, company_id, period, key, count, last_at }: Counters) =>
      addUp(tx, COUNTER, [figure, company_id, period, key], count, [last_at]),
  }
}

const COUNTER = total({
  order: TOTALS_ORDER.counters,
  columns: {
    figure: 'text',
    company_id: 'bigint',
    period: 'text',
    key: 'text',
    count: 'bigint',
    last_at: 'text',
  },
  add: (rows) => `insert into counters (figure, company_id, period, key, count, last_at) ${rows}
    on conflict (figure, company_id, period, key) do update set
      count = counters.count + excluded.count,
      last_at = case when excluded.count > 0 then excluded.last_at else counters.last_at end`,
})

/** What waits is queued, and that needs no row but the index. */
const COUNT_OPEN = `select state, sum(count) as count from (
    select 'queued' as state, count(*) as count from messages where step <> 'finished' and step = 'waiting'
    union all select state, count(*) from messages where step <> 'finished' and step = 'given' group by state) as open
  where count > 0 group by state`
