import { isIn, limit, locked, sql, when } from '@sdd/storage/sql.ts'
import type { Insertable, Selectable } from '@sdd/storage/tables.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { AlertChannels, AlertMessages, AlertTellings } from '#server/database/alert-tables.ts'
import type { Change, Tx } from '#server/database/schema.ts'
import type { AlertRow } from './store.ts'

export type AlertChannelRow = Selectable<AlertChannels>
export type AlertMessageRow = Selectable<AlertMessages>
export type DueAlertMessage = Pick<AlertMessageRow, 'id' | 'channel_id' | 'company_id'>

export function alertChannelStore(tx: Tx, scope: Scope) {
  return {
    list: () => tx.rows(CHANNELS, within(scope)),

    /** The channel, locked until the commit. */
    hold: (id: number) => tx.first(HOLD_CHANNEL, { id, ...within(scope) }),

    insert: (channel: Insertable<AlertChannels>): Promise<number> => tx.insertRow('alert_channels', channel),

    update: (id: number, change: Change<AlertChannels>) => tx.update('alert_channels', { id }, change),

    remove: (id: number) => tx.delete('alert_channels', { id }),
  }
}

export function alertMessageStore(tx: Tx) {
  return {
    insert: (message: Insertable<AlertMessages>): Promise<number> => tx.insertRow('alert_messages', message),

    add: (message_id: number, alert_id: number) => tx.insert('alert_tellings', [{ message_id, alert_id }]),

    update: (id: number, change: Change<AlertMessages>) => tx.update('alert_messages', { id }, change),

    /** The message, locked until the commit. */
    hold: (id: number) => tx.first(HOLD_MESSAGE, { id }),

    ruleOf: async (id: number) => (await tx.first(RULE_OF, { id }))?.rule_id,

    /** A message that more alerts may join now. */
    joinable: async (of: Pick<AlertMessages, 'channel_id' | 'rule_id' | 'event'>, now: string) =>
      (await tx.first(JOINABLE, { ...of, now }))?.id,

    /** Takes the alert out of messages that were not tried yet. Hold the rule. */
    async withdraw(rule_id: number, alert_id: number): Promise<void> {
      await tx.run(WITHDRAW, { alert_id })
      await tx.run(FORGET_EMPTY, { rule_id })
    },

    /** The channels that were told of its opening, or are being told. */
    channelsToldOf: async (alert_id: number): Promise<number[]> =>
      (await tx.rows(CHANNELS_TOLD, { alert_id })).map(({ channel_id }) => channel_id),

    /** The alerts of each message of a rule that was not tried yet. */
    untriedOf: (rule_id: number) => tx.rows(UNTRIED_OF, { rule_id }),

    /** Forgets the messages of a rule to this channel that were not tried yet, and gives up the others. */
    async giveUp(of: { rule_id: number; channel_id: number; detail: string }): Promise<void> {
      await tx.run(FORGET_TO, of)
      await tx.run(GIVE_UP, of)
    },

    /** Makes those messages due that wait for the hours of the rule. */
    release: (rule_id: number) => tx.run(RELEASE, { rule_id }),

    remove: (id: number) => tx.delete('alert_messages', { id }),

    /** Forgets the messages of a rule that were not tried yet. */
    forgetOf: (rule_id: number) => tx.run(FORGET_OF_RULE, { rule_id }),

    /**
     * The next message of each channel whose time has come: `each` for a company, and companies take turns. `busy`
     * channels and `full` companies have none.
     */
    due: (
      now: string,
      { busy, full, each }: { busy: readonly number[]; full: readonly number[]; each: number },
      most: number,
    ) => tx.rows(DUE, { now, busy, full, each, limit: most }),

    /** The alerts of a message, and whether their devices are in maintenance. */
    alertsOf: (message_id: number) => tx.rows(ALERTS_OF, { message_id }),

    /** The messages about these alerts, oldest first. */
    about: (alerts: readonly number[]) => tx.rows(ABOUT, { alerts }),

    take: (message_id: number, alert_id: number) => tx.delete('alert_tellings', { message_id, alert_id }),

    /** Moves the alerts to another message. */
    move: (from: number, to: number, alerts: readonly number[]) => tx.run(MOVE, { from, to, alerts }),

    noteSaid: (message_id: number, now: string) => tx.run(NOTE_SAID, { message_id, now }),
  }
}

type Id = { id: number }

const CHANNELS = sql<AlertChannelRow, InScope>`
  select * from alert_channels where true ${when('company_id')`and company_id = :company_id`} order by id`

const HOLD_CHANNEL = sql<AlertChannelRow, Id & InScope>`
  select * from alert_channels where id = :id ${when('company_id')`and company_id = :company_id`}
  ${locked('alert_channels')}`

const HOLD_MESSAGE = sql<
  AlertMessageRow,
  Id
>`select * from alert_messages where id = :id ${locked('alert_messages')}`

const JOINABLE = sql<Id, Pick<AlertMessages, 'channel_id' | 'rule_id' | 'event'> & { now: string }>`
  select id from alert_messages
  where state = 'waiting' and channel_id = :channel_id and rule_id = :rule_id and event = :event and body is null
    and joins_until >= :now order by id limit 1 ${locked('alert_messages')}`

const WITHDRAW = sql<never, { alert_id: number }>`
  delete from alert_tellings where alert_id = :alert_id
    and message_id in (select id from alert_messages where state = 'waiting' and body is null)`

const FORGET_EMPTY = sql<never, { rule_id: number }>`
  delete from alert_messages where state = 'waiting' and rule_id = :rule_id and body is null
    and not exists (select 1 from alert_tellings where message_id = alert_messages.id)`

const CHANNELS_TOLD = sql<{ channel_id: number }, { alert_id: number }>`
  select distinct channel_id from alert_tellings join alert_messages on alert_messages.id = message_id
  where alert_id = :alert_id and event <> 'resolved' and body is not null`

const UNTRIED_OF = sql<
  Pick<AlertMessageRow, 'event' | 'joins_until'> & Pick<AlertTellings, 'alert_id'>,
  { rule_id: number }
>`
  select event, joins_until, alert_id from alert_messages
  join alert_tellings on alert_tellings.message_id = alert_messages.id
  where state = 'waiting' and rule_id = :rule_id and body is null order by alert_messages.id, alert_id`

const FORGET_TO = sql<never, { rule_id: number; channel_id: number }>`
  delete from alert_messages
  where state = 'waiting' and rule_id = :rule_id and channel_id = :channel_id and body is null`

const GIVE_UP = sql<never, { rule_id: number; channel_id: number; detail: string }>`
  update alert_messages set state = 'dead', detail = coalesce(detail, :detail)
  where state = 'waiting' and rule_id = :rule_id and channel_id = :channel_id`

const RELEASE = sql<never, { rule_id: number }>`
  update alert_messages set due_at = joins_until where state = 'waiting' and rule_id = :rule_id`

const FORGET_OF_RULE = sql<never, { rule_id: number }>`
  delete from alert_messages where state = 'waiting' and rule_id = :rule_id and body is null`

/** An earlier message of the channel about one of its alerts waits, too. */
const IS_BEHIND = `exists (
      select 1 from alert_messages as earlier
      where earlier.state = 'waiting' and earlier.channel_id = message.channel_id and earlier.id < message.id
        and exists (select 1 from alert_tellings as mine
          join alert_tellings as its on its.alert_id = mine.alert_id
          where mine.message_id = message.id and its.message_id = earlier.id))`

const DUE = sql<
  DueAlertMessage,
  { now: string; busy: readonly number[]; full: readonly number[]; each: number; limit: number }
>`
  with recursive channels (id) as (
    select min(channel_id) from alert_messages where state = 'waiting'
    union all
    select (select min(channel_id) from alert_messages where state = 'waiting' and channel_id > channels.id)
      from channels where channels.id is not null),
  first (id, channel_id, company_id) as (
    select (
        select message.id from alert_messages as message
        where message.state = 'waiting' and message.channel_id = channels.id and message.due_at <= :now
          and not ${IS_BEHIND}
        order by message.due_at, message.id limit 1),
      channels.id, company_id
    from channels join alert_channels on alert_channels.id = channels.id
    where not ${isIn('channels.id', 'busy')} and not ${isIn('company_id', 'full')}),
  turns as (
    select id, channel_id, company_id, row_number() over (partition by company_id order by id) as turn
    from first where id is not null)
  select id, channel_id, company_id from turns where turn <= :each order by turn, id ${limit()}`

const RULE_OF = sql<{ rule_id: number }, Id>`select rule_id from alert_messages where id = :id`

const ALERTS_OF = sql<AlertRow & { paused: number }, { message_id: number }>`
  select alerts.*, coalesce(paused, 0) as paused from alert_tellings
  join alerts on alerts.id = alert_tellings.alert_id
  left join alert_watches on alert_watches.alert_id = alerts.id and alert_watches.rule_id = alerts.rule_id
  where message_id = :message_id order by alerts.id`

const ABOUT = sql<AlertMessageRow & AlertTellings, { alerts: readonly number[] }>`
  select alert_messages.*, alert_id, message_id from alert_tellings
  join alert_messages on alert_messages.id = message_id
  where ${isIn('alert_id', 'alerts')} order by message_id`

const MOVE = sql<never, { from: number; to: number; alerts: readonly number[] }>`
  update alert_tellings set message_id = :to where message_id = :from and ${isIn('alert_id', 'alerts')}`

const NOTE_SAID = sql<never, { message_id: number; now: string }>`
  update alerts set said_at = :now
  where said_at is null and id in (select alert_id from alert_tellings where message_id = :message_id)`
