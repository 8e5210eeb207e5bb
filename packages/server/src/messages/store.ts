import { CompiledQuery, type Insertable, sql, type Updateable } from 'kysely'
import type { MessageState } from '@sdd/contract/messages.ts'
import type { Scope } from '#server/core/context.ts'
import type { Attempts, Counters, Inbox, Messages, Tx } from '#server/database/schema.ts'

const columns = [
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
  'from_number',
  'avoid_device_id',
  'discard_asked_at',
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
  'content_hash',
  'callback_url',
  'api_key_id',
] as const satisfies readonly (keyof NewMessage)[]

/** Written by hand, as a thousand come at once: the builder takes longer than the statement. */
const INSERT = `insert into messages (${newColumns.join(', ')}) values (${newColumns.map(() => '?').join(', ')})`

export type MessageFilter = {
  device_uid?: string | undefined
  /** A guid's beginning, digits of a number, or a part of the text. */
  search?: string | undefined
  state?: MessageState | undefined
  errors?: boolean | undefined
  from?: string | undefined
  to?: string | undefined
}

export type MessageRow = NonNullable<Awaited<ReturnType<ReturnType<typeof messageStore>['byGuid']>>>

export function messageStore(tx: Tx, scope: Scope) {
  const inScope = tx
    .selectFrom('messages')
    .$if(scope !== 'all', (query) =>
      query.where('messages.company_id', '=', (scope as { company_id: number }).company_id),
    )

  return {
    /** For `addMessage`, which counts it. */
    insert: (message: NewMessage) => tx.insertInto('messages').values(message).execute(),

    /** For `addMessages`, which counts them. */
    async insertAll(messages: readonly NewMessage[]): Promise<void> {
      for (const message of messages) {
        const values = newColumns.map((column) => message[column] ?? null)
        await tx.executeQuery(CompiledQuery.raw(INSERT, values))
      }
    },

    /** For `moveMessage`, which counts it. */
    move: (id: number, change: Updateable<Messages>) =>
      tx.updateTable('messages').set(change).where('id', '=', id).execute(),

    update: (id: number, change: Updateable<Messages> & { [Column in keyof Counted]?: never }) =>
      tx.updateTable('messages').set(change).where('id', '=', id).execute(),

    /** The newest of that guid: a superadmin may see one in several companies. */
    byGuid: (guid: string) =>
      inScope.select(columns).where('guid', '=', guid).orderBy('id', 'desc').executeTakeFirst(),

    /** Those that match with ids from `from` (all there are, where it is absent) to below `below`, the newest first. */
    slice: (filter: MessageFilter, { from, below }: { from?: number; below: number }, limit: number) =>
      inScope
        .select(columns)
        .where('messages.id', '<', below)
        .$if(from !== undefined, (query) => query.where('messages.id', '>=', from!))
        .$if(filter.device_uid !== undefined, (query) => query.where('device_guid', '=', filter.device_uid!))
        .$if(filter.state !== undefined, (query) => query.where('messages.state', '=', filter.state!))
        .$if(filter.errors === true, (query) => query.where('error', 'is not', null))
        .$if(filter.from !== undefined, (query) => query.where('queue_timestamp', '>=', filter.from!))
        .$if(filter.to !== undefined, (query) => query.where('queue_timestamp', '<=', filter.to!))
        .$if(Boolean(filter.search), (query) => query.where(matches(filter.search!)))
        .orderBy('messages.id', 'desc')
        .limit(limit)
        .execute(),

    /** 0 where there is none. */
    newestId: async (): Promise<number> => {
      const row = await inScope
        .select((select) => select.fn.max<number | null>('messages.id').as('id'))
        .executeTakeFirst()
      return row?.id ?? 0
    },

    /** What waits for a device and may go now, in the order in which it goes. */
    due: (device_id: number, now: string, limit: number) =>
      inScope
        .select(['messages.id', 'messages.company_id', 'guid', 'message', 'message_to', 'parts', 'silent'])
        .select(['attempt', 'notes', 'queue_timestamp', 'expires_at'])
        .where('device_id', '=', device_id)
        .where('step', '=', 'waiting')
        .where('due_at', '<=', now)
        .where('expires_at', '>', now)
        .orderBy('priority')
        .orderBy('id')
        .limit(limit)
        .execute(),

    /** Unfinished messages that expired by then, the oldest first: those that a device has accepted, or the others. */
    overdue: (accepted: boolean, expired_at: string, limit: number) =>
      inScope
        .select(columns)
        .where('step', '<>', 'finished')
        .where('expires_at', '<=', expired_at)
        .where('handed_timestamp', accepted ? 'is not' : 'is', null)
        .orderBy('expires_at')
        .limit(limit)
        .execute(),

    /** Unfinished messages of a device, whatever became of the device. */
    unfinishedOf: (device_id: number) =>
      inScope.select(columns).where('device_id', '=', device_id).where('step', '<>', 'finished').execute(),

    /** Unfinished messages to a number, by what tells it from others (`numberKey`). */
    unfinishedTo: (number_key: string) =>
      inScope.select(columns).where('step', '<>', 'finished').where(keyOfNumber, '=', number_key).execute(),

    /** The newest message that the device sent to one of these numbers since then. */
    sentTo: (device_id: number, numbers: readonly string[], since: string) =>
      inScope
        .select(columns)
        .where('device_id', '=', device_id)
        .where('message_to', 'in', numbers)
        .where((where) =>
          where.or([
            where('answer_sent_timestamp', 'is not', null),
            where('answer_2_timestamp', 'is not', null),
          ]),
        )
        .where('queue_timestamp', '>=', since)
        .orderBy('id', 'desc')
        .executeTakeFirst(),

    /** How many are unfinished, by state. */
    countOpen: () =>
      tx
        .selectFrom('messages')
        .select((select) => ['state', select.fn.countAll<number>().as('count')])
        .where('step', '<>', 'finished')
        .groupBy('state')
        .execute(),
  }
}

export function attemptStore(tx: Tx) {
  return {
    insert: (attempt: Insertable<Attempts>) => tx.insertInto('attempts').values(attempt).execute(),

    update: (id: number, change: Updateable<Attempts>) =>
      tx.updateTable('attempts').set(change).where('id', '=', id).execute(),

    byNumber: (message_id: number, attempt: number) =>
      tx
        .selectFrom('attempts')
        .selectAll()
        .where('message_id', '=', message_id)
        .where('attempt', '=', attempt)
        .executeTakeFirst(),

    /** The one that this device was told to drop and has not ended, if there is one. */
    cancelledOn: (message_id: number, device_id: number) =>
      tx
        .selectFrom('attempts')
        .selectAll()
        .where('message_id', '=', message_id)
        .where('device_id', '=', device_id)
        .where('cancel_at', 'is not', null)
        .where('finished_at', 'is', null)
        .executeTakeFirst(),

    ofMessage: (message_id: number) =>
      tx.selectFrom('attempts').selectAll().where('message_id', '=', message_id).orderBy('attempt').execute(),

    /** The last attempt of each of these messages. */
    latestOf: (message_ids: readonly number[]) =>
      tx
        .selectFrom('attempts')
        .innerJoin('messages', (join) =>
          join
            .onRef('messages.id', '=', 'attempts.message_id')
            .onRef('messages.attempt', '=', 'attempts.attempt'),
        )
        .select(['message_id', 'given_at', 'resend_at', 'accepted_at'])
        .where('message_id', 'in', message_ids)
        .execute(),

    /** Commands without any report, due to go out again to a device that is there to take them and may have them. */
    unanswered: (now: string, limit: number) =>
      tx
        .selectFrom('attempts')
        .innerJoin('messages', 'messages.id', 'attempts.message_id')
        .innerJoin('devices', 'devices.id', 'attempts.device_id')
        .innerJoin('settings', 'settings.company_id', 'devices.company_id')
        .select(['attempts.id', 'attempts.attempt', 'devices.uid'])
        .select(['guid', 'message', 'message_to', 'silent', 'expires_at'])
        .where('resend_at', '<=', now)
        .where('accepted_at', 'is', null)
        .where('finished_at', 'is', null)
        .where('cancel_at', 'is', null)
        .where('devices.status', '=', 'connected')
        .where('devices.enabled', '=', 1)
        .where('send_enabled', '=', 1)
        .orderBy('resend_at')
        .limit(limit)
        .execute(),

    /** What devices that are there to hear it shall drop and have not answered. */
    cancels: (now: string, limit: number) =>
      tx
        .selectFrom('attempts')
        .innerJoin('messages', 'messages.id', 'attempts.message_id')
        .innerJoin('devices', 'devices.id', 'attempts.device_id')
        .select(['attempts.id', 'attempts.device_id', 'attempts.day', 'devices.uid'])
        .select(['guid', 'step', 'expires_at'])
        .where('cancel_at', '<=', now)
        .where('finished_at', 'is', null)
        .where('devices.status', '=', 'connected')
        .orderBy('cancel_at')
        .limit(limit)
        .execute(),

    postpone: (ids: readonly number[], resend_at: string) =>
      tx.updateTable('attempts').set({ resend_at }).where('id', 'in', ids).execute(),

    /** Whether the device was given anything, or told to drop anything, that it has not answered. */
    anyUnanswered: async (device_id: number): Promise<boolean> => {
      const row = await tx
        .selectFrom('attempts')
        .select('id')
        .where('device_id', '=', device_id)
        .where('finished_at', 'is', null)
        .where((where) => where.or([where('accepted_at', 'is', null), where('cancel_at', 'is not', null)]))
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    /** What the device has not answered may go out again at once. */
    async resendTo(device_id: number, now: string): Promise<void> {
      const open = tx
        .updateTable('attempts')
        .where('device_id', '=', device_id)
        .where('finished_at', 'is', null)
      await open.set({ resend_at: now }).where('accepted_at', 'is', null).execute()
      await open.set({ cancel_at: now }).where('cancel_at', 'is not', null).execute()
    },
  }
}

export function inboxStore(tx: Tx) {
  return {
    /** False where the device has said this one before. */
    async insert(sms: Insertable<Inbox>): Promise<boolean> {
      const row = await tx
        .insertInto('inbox')
        .values(sms)
        .onConflict((conflict) => conflict.columns(['device_id', 'sms_id']).doNothing())
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

export function counterStore(tx: Tx) {
  return {
    /** Adds to counters, each named once; the new ones begin at nothing. */
    add: (changes: readonly Counters[]) =>
      tx.executeQuery(
        CompiledQuery.raw(
          addingTo(changes.length),
          changes.flatMap((row) => [row.figure, row.company_id, row.period, row.key, row.count, row.last_at]),
        ),
      ),
  }
}

/** Written by hand: every change of a message runs it, and the builder takes three times as long as the statement. */
function addingTo(counters: number): string {
  return `insert into counters (figure, company_id, period, key, count, last_at)
    values ${Array(counters).fill('(?, ?, ?, ?, ?, ?)').join(', ')}
    on conflict (figure, company_id, period, key) do update set
      count = counters.count + excluded.count,
      last_at = case when excluded.count > 0 then excluded.last_at else counters.last_at end`
}

/** To the letter as the index `messages_to_number` has it; what `numberKey` says in SQL. */
const keyOfNumber = sql<string>`substr(ltrim(message_to, '+'), -9)`

function matches(search: string) {
  const text = search.replace(/[\\%_]/g, '\\$&')
  const digits = search.replace(/[\s.()-]/g, '').replace(/[\\%_]/g, '\\$&')
  return sql<boolean>`(guid like ${`${text}%`} escape '\\' or message_to like ${`%${digits}%`} escape '\\'
    or message like ${`%${text}%`} escape '\\')`
}
