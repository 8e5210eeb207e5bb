import { isIn, limit, locked, sql } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import type { Devices, Sims } from '#server/database/device-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import { DEVICE_WINDOW } from '#server/fleet/devices/capacity.ts'
import { NO_MAINTENANCE } from '#server/fleet/devices/maintenance.ts'
import { planRoom } from '#server/fleet/devices/sim-room.ts'

/** What the conditions of a company's rules look at. */
export function alertSubjects(tx: Tx, company_id: number) {
  return {
    away: () => tx.rows(AWAY, { company_id }),

    /** Those of these devices that were linked or connected since then, and are away again. */
    cameSince: async (uids: readonly string[], since: string): Promise<string[]> =>
      (await tx.rows(CAME_SINCE, { company_id, uids, since })).map(({ uid }) => uid),

    notReady: () => tx.rows(NOT_READY, { company_id }),

    quarantined: (now: string) => tx.rows(QUARANTINED, { company_id, now }),

    /** Devices that have used this part of their daily limit. */
    limitUsed: (day: string, percent: number) => tx.rows(LIMIT_USED, { company_id, day, percent }),

    /** Those of these devices that are linked and enabled. */
    devices: (uids: readonly string[]) => tx.rows(DEVICES_OF, { company_id, uids }),

    devicesById: (ids: readonly number[]) => tx.rows(DEVICES_BY_ID, { company_id, ids }),

    /** Devices on which a message failed since then. */
    failedSince: async (since: string): Promise<number[]> =>
      (await tx.rows(FAILED_SINCE, { company_id, since })).map(({ device_id }) => device_id),

    /** Devices on which a message failed since then, by the device's time, that may have been sent long before. */
    undeliveredSince: async (since: string): Promise<number[]> =>
      (await tx.rows(UNDELIVERED_SINCE, { company_id, since, newest: NEWEST_FAILED })).map(
        ({ device_id }) => device_id,
      ),

    /** The states of the last messages that went out or failed on a device since then, newest first. */
    lastOn: (device_id: number, since: string, most: number) =>
      tx.rows(LAST_ON, { device_id, since, read: 2 * most, limit: most }),

    /** The same for the whole company. */
    lastOf: (since: string, most: number) => tx.rows(LAST_OF, { company_id, since, limit: most }),

    /**
     * The oldest messages that were due before then and still wait, except those that are held until later: one for
     * each priority and beginning of the number, which tells the country.
     */
    waitingSince: (before: string, now: string) => tx.rows(WAITING_SINCE, { company_id, before, now }),

    /**
     * A device that can send these parts now, except these devices, and those that hold these SIMs. It is that which
     * sent nothing for the longest time; if there are others, not that on which the message `failed_guid` failed.
     */
    senderBut: async (asked: SenderAsked): Promise<number | undefined> =>
      (await tx.first(SENDER_BUT, { company_id, ...asked }))?.id,

    sims: () => tx.rows(SIMS, { company_id }),

    simsOf: (iccids: readonly string[]) => tx.rows(SIMS_OF, { company_id, iccids }),

    failingWebhooks: (tries: number) => tx.rows(FAILING_WEBHOOKS, { company_id, tries }),

    webhooks: (ids: readonly number[]) => tx.rows(WEBHOOKS_IN_USE, { company_id, ids }),

    name: async (): Promise<string | null> => (await tx.first(COMPANY_NAME, { company_id }))?.name ?? null,
  }
}

/** When the first company was made, which is the first start. */
export async function firstStart(tx: Tx): Promise<string | undefined> {
  return (await tx.first(FIRST_START))?.at ?? undefined
}

/** A linked and enabled device. */
export type AlertDevice = Pick<
  Selectable<Devices>,
  | 'id'
  | 'uid'
  | 'name'
  | 'tags'
  | 'status'
  | 'status_at'
  | 'enabled_at'
  | 'radio_ready'
  | 'radio_says'
  | 'quarantine_reason'
  | 'maintenance_until'
  | 'max_sms_dayly'
>

/** A SIM, with the tags of the linked and enabled device that it is in. */
export type AlertSim = Pick<
  Selectable<Sims>,
  | 'iccid'
  | 'number'
  | 'parts_per_month'
  | 'recipients_per_month'
  | 'renews_on_day'
  | 'valid_until'
  | 'used_until'
  | 'used_parts'
  | 'used_recipients'
  | 'balance_amount'
  | 'balance_currency'
  | 'credit_gone_at'
> & { tags: string | null; maintenance_until: string | null }

type SenderAsked = {
  uids: readonly string[]
  iccids: readonly string[]
  failed_guid: string | null
  parts: number
  day: string
  now: string
}

type Of = { company_id: number }
type EndedMessage = { state: string }

const COLUMNS = `id, uid, name, tags, status, status_at, enabled_at, radio_ready, radio_says,
    quarantine_reason, maintenance_until, max_sms_dayly`

const IN_USE = `company_id = :company_id and unlinked_at is null and enabled = 1`

const DEVICES = `select ${COLUMNS} from devices where ${IN_USE}`

const AWAY = sql<AlertDevice, Of>`${DEVICES} and status = 'disconnected'`

const CAME_SINCE = sql<Pick<AlertDevice, 'uid'>, Of & { uids: readonly string[]; since: string }>`
  select uid from devices where ${IN_USE} and status = 'disconnected' and ${isIn('uid', 'uids')}
    and (created_at >= :since or exists (
    select 1 from presence
    where device_id = devices.id and presence.status = 'connected' and presence.at >= :since))`

const NOT_READY = sql<AlertDevice, Of>`${DEVICES} and status = 'connected' and radio_ready = 0`

const QUARANTINED = sql<AlertDevice, Of & { now: string }>`${DEVICES} and quarantined_until > :now`

const LIMIT_USED = sql<AlertDevice & { sent: number }, Of & { day: string; percent: number }>`
  select ${COLUMNS}, sent_parts as sent from devices join capacity on capacity.device_id = devices.id
  where ${IN_USE} and max_sms_dayly > 0 and sent_day = :day and sent_parts * 100 >= max_sms_dayly * :percent`

const DEVICES_OF = sql<AlertDevice, Of & { uids: readonly string[] }>`${DEVICES} and ${isIn('uid', 'uids')}`

const DEVICES_BY_ID = sql<AlertDevice, Of & { ids: readonly number[] }>`${DEVICES} and ${isIn('id', 'ids')}`

const FAILED_SINCE = sql<{ device_id: number }, Of & { since: string }>`
  select distinct device_id from outcomes
  where company_id = :company_id and completed_at >= :since and state in ('failed', 'uncertain')
    and device_id is not null`

/** The failed messages of a company among which undelivered ones are looked for. */
const NEWEST_FAILED = 1_000

/** Such a message keeps the time at which it was sent as its end. */
const UNDELIVERED_SINCE = sql<{ device_id: number }, Of & { since: string; newest: number }>`
  select distinct device_id from (
    select device_id, error_timestamp from outcomes
    where company_id = :company_id and state = 'failed' order by id desc limit :newest
  ) as newest
  where error_timestamp >= :since and device_id is not null`

/**
 * A sent message that waits for its delivery report is in `in_flight`. By their ids, because an index by device and end
 * would cost every message. They ended in about this order.
 */
const LAST_ON = sql<EndedMessage, { device_id: number; since: string; read: number; limit: number }>`
  select state from (
    select * from (
      select state, completed_at from outcomes
      where device_id = :device_id and state not in ('expired', 'cancelled') order by id desc limit :read
    ) as ended
    union all
    select 'sent', completed_at from in_flight where device_id = :device_id and completed_at is not null
  ) as newest
  where completed_at >= :since order by completed_at desc ${limit()}`

const LAST_OF = sql<EndedMessage, Of & { since: string; limit: number }>`
  select state from (
    select * from (
      select state, completed_at from outcomes
      where company_id = :company_id and completed_at >= :since and state not in ('expired', 'cancelled')
      order by completed_at desc ${limit()}
    ) as ended
    union all
    select * from (
      select 'sent', completed_at from in_flight cross join devices
      where devices.id = device_id and company_id = :company_id and completed_at >= :since
      order by in_flight.id desc ${limit()}
    ) as sent
  ) as newest
  order by completed_at desc ${limit()}`

const WAITING_SINCE = sql<
  { message_to: string; priority: number; due_at: string },
  Of & { before: string; now: string }
>`
  select min(message_to) as message_to, queue.priority, min(due_at) as due_at
  from queue join messages on messages.id = queue.id
  where queue.company_id = :company_id and due_at <= :before
    and coalesce(case when lane = 'later' then lane_until end, '') <= :now
  group by queue.priority, substr(message_to, 1, 7)
  order by min(due_at)`

const SENDER_BUT = sql<{ id: number }, Of & SenderAsked>`
  select devices.id from devices join capacity on capacity.device_id = devices.id
  where ${IN_USE} and status = 'connected' and coalesce(radio_ready, 1) = 1
    and (quarantined_until is null or (quarantined_until <= :now and unfinished = 0))
    and ${NO_MAINTENANCE} and not ${isIn('uid', 'uids')}
    and not exists (select 1 from sims where sims.device_id = devices.id and ${isIn('iccid', 'iccids')})
    and unfinished < ${String(DEVICE_WINDOW)} and ${planRoom('null')} >= :parts
    and case when sent_day >= :day then sent_parts else 0 end + :parts <= max_sms_dayly
  order by
    case when devices.id = (
      select outcomes.device_id from messages join outcomes on outcomes.id = messages.id
      where messages.company_id = :company_id and guid = :failed_guid order by messages.id desc limit 1
    ) then 1 else 0 end,
    coalesce(last_given_at, ''), devices.id
  limit 1 ${locked('devices')}`

const SIM_COLUMNS = `iccid, coalesce(sims.number, said_number) as number, devices.tags, maintenance_until,
    parts_per_month, recipients_per_month, renews_on_day, valid_until, used_until, used_parts, used_recipients,
    balance_amount, balance_currency, credit_gone_at
  from sims left join devices on devices.id = sims.device_id and unlinked_at is null and enabled = 1`

const SIMS = sql<AlertSim, Of>`
  select ${SIM_COLUMNS} where sims.company_id = :company_id
    and (renews_on_day is not null or balance_amount is not null or credit_gone_at is not null)`

const SIMS_OF = sql<AlertSim, Of & { iccids: readonly string[] }>`
  select ${SIM_COLUMNS} where sims.company_id = :company_id and ${isIn('iccid', 'iccids')}`

const FAILING_WEBHOOKS = sql<{ id: number; url: string; failures_in_row: number }, Of & { tries: number }>`
  select id, url, failures_in_row from webhooks
  where company_id = :company_id and removed_at is null and failures_in_row >= :tries`

const WEBHOOKS_IN_USE = sql<{ id: number }, Of & { ids: readonly number[] }>`
  select id from webhooks where company_id = :company_id and removed_at is null and ${isIn('id', 'ids')}`

const COMPANY_NAME = sql<{ name: string }, Of>`select name from companies where id = :company_id`

const FIRST_START = sql<{ at: string | null }>`select min(created_at) as at from companies`
