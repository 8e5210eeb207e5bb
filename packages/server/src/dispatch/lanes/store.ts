import { isIn, limit, locked, lockedOrSkipped, sql, when } from '@sdd/storage/sql.ts'
import { total } from '@sdd/storage/totals.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { TOTALS_ORDER, type Tx } from '#server/database/schema.ts'
import type { Lanes, Recipients } from '#server/database/task-tables.ts'
import { NO_MAINTENANCE } from '#server/fleet/devices/maintenance.ts'
import { PLAN_UNTIL } from '#server/fleet/devices/sim-room.ts'
import { type Message, selectIn } from '#server/messages/messages/rows.ts'

/** Adds to the number of tasks in a lane; a negative number reduces it. An empty lane has no row. */
export function countInLane(tx: Tx, company_id: number, lane: string, tasks: number) {
  return tx.add(WAITING, [company_id, lane], tasks)
}

/** A message that waits to be given to a device. */
export type WaitingMessage = Pick<Message, (typeof waitingColumns)[number]> & { due_at: string }

const waitingColumns = [
  'id',
  'company_id',
  'guid',
  'message',
  'message_to',
  'parts',
  'priority',
  'silent',
  'task',
  'from_number',
  'via',
  'callback_url',
  'api_key_id',
  'queue_timestamp',
  'due_at',
  'expires_at',
  'attempt',
  'lane',
  'avoid_device_id',
  'notes',
] as const satisfies readonly (keyof Message)[]

/** Messages read for one device: more than its window, so that one too big for today does not hide one that fits. */
export const OWN_HEAD = 30
/** The most messages read from a lane that many devices serve. A round gives no more than this. */
export const LANE_HEAD = 100

/** The heads of a company's queues: the messages that may be given now, in order. */
export function queueHeads(tx: Tx, company_id: number, now: string) {
  return {
    ofDevice: (device_id: number, limit: number, after?: Before) =>
      tx.rows(HEAD_OF_DEVICE, { company_id, device_id, now, limit, ...behind(after) }),

    /** Both read the messages after this one, if it is given. */
    ofLane: (lane: string, limit: number, after?: Before) =>
      tx.rows(HEAD_OF_LANE, { company_id, lane, now, limit, ...behind(after) }),
  }
}

type Before = { priority: number; id: number }

function behind(after: Before | undefined) {
  return { after_priority: after?.priority, after_id: after?.id ?? 0 }
}

/** The device that last wrote to a number. */
export function recipientStore(tx: Tx, company_id: number) {
  return {
    /** The devices that wrote to these numbers since then, are connected, and may send now. */
    devicesOf: async (
      numbers: readonly string[],
      since: string,
      at: { now: string; day: string },
    ): Promise<Map<string, number>> => {
      const rows = await tx.rows(DEVICES_OF, { company_id, numbers, ...at })
      // Not part of the statement: SQLite would use the index on that time, and read all numbers written to since then.
      const recent = rows.filter(({ last_at }) => last_at >= since)
      return new Map(recent.map(({ number, device_id }) => [number, device_id]))
    },

    hasSim: async (device_id: number, number: string): Promise<boolean> =>
      (await tx.first(SIM_OF, { device_id, number })) !== undefined,

    remember: (number: string, device_id: number, now: string) =>
      tx.put('recipients', { company_id, number }, { device_id, last_at: now }),
  }
}

/** The number of tasks in these lanes of these companies, by `company lane`. */
export async function laneCounts(
  tx: Tx,
  companies: readonly number[],
  lanes: readonly string[],
): Promise<Map<string, number>> {
  if (lanes.length === 0) return new Map()
  const rows = await tx.rows(LANE_COUNTS, { companies, lanes })
  return new Map(rows.map(({ company_id, lane, waiting }) => [`${company_id} ${lane}`, waiting]))
}

/** All lanes of the scope that contain tasks, except those of single devices. */
export function lanesOf(tx: Tx, scope: Scope): Promise<Lanes[]> {
  return tx.rows(LANES, within(scope))
}

/** The number of tasks in lanes of each kind, in all companies. */
export function countWaiting(tx: Tx): Promise<{ lane: string; waiting: number }[]> {
  return tx.rows(COUNT_WAITING)
}

/** Tasks in lanes, of all companies. */
export function laneWalk(tx: Tx) {
  return {
    /** Tasks whose time in their lane is over, the longest overdue first. */
    due: (now: string, limit: number) => tx.rows(DUE, { now, limit }),

    ofDevice: (company_id: number, device_id: number, limit: number) =>
      tx.rows(OF_DEVICE, { company_id, lane: `device:${device_id}`, limit }),

    /** Makes the tasks in the device's lane that ask for a SIM due to move. */
    endStay: (company_id: number, device_id: number, now: string) =>
      tx.run(END_STAY, { company_id, lane: `device:${device_id}`, now }),

    /** Makes all tasks due to move that several devices could take now. */
    endAll: (company_id: number, now: string) => tx.run(END_ALL, { company_id, now }),

    /** Makes the tasks that wait for their hours due to move. Those that wait for another time are due later. */
    endHours: (company_id: number, now: string) => tx.run(END_HOURS, { company_id, now }),

    /** Messages of conversations that wait for this device and for a SIM that it does not have. */
    withoutSim: (company_id: number, device_id: number) => tx.rows(WITHOUT_SIM, { company_id, device_id }),

    move: (ids: readonly number[], { lane, lane_until }: { lane: string; lane_until: string | null }) =>
      tx.run(MOVE, { ids, lane, lane_until }),
  }
}

export type LanedTask = Pick<Message, (typeof lanedColumns)[number]> & { due_at: string }

const WAITING_MESSAGES = `${selectIn('queue', waitingColumns)} and queue.company_id = :company_id`

type Asked = { now: string; limit: number; after_priority: number | undefined; after_id: number }
const IN_LANE = `${WAITING_MESSAGES} and lane = :lane and queue.expires_at > :now`
const AFTER = when('after_priority')`and (queue.priority, queue.id) > (:after_priority, :after_id)`
const IN_ORDER = 'order by queue.priority, queue.id'

const HEAD_OF_DEVICE = sql<WaitingMessage, { company_id: number; device_id: number } & Asked>`
  ${WAITING_MESSAGES} and device_id = :device_id and due_at <= :now and queue.expires_at > :now ${AFTER}
  ${IN_ORDER} ${limit()} ${lockedOrSkipped('queue')}`

const HEAD_OF_LANE = sql<WaitingMessage, { company_id: number; lane: string } & Asked>`
  ${IN_LANE} ${AFTER} ${IN_ORDER} ${limit()} ${lockedOrSkipped('queue')}`

const DEVICES_OF = sql<
  Pick<Recipients, 'number' | 'device_id' | 'last_at'>,
  { company_id: number; numbers: readonly string[]; now: string; day: string }
>`
  select number, recipients.device_id, last_at
  from recipients join devices on devices.id = recipients.device_id
    join capacity on capacity.device_id = devices.id
  where recipients.company_id = :company_id and ${isIn('number', 'numbers')} and status = 'connected' and enabled = 1
    and unlinked_at is null and quarantined_until is null
    and ${NO_MAINTENANCE}
    and (sent_parts < max_sms_dayly or sent_day < :day) and ${PLAN_UNTIL} is null`

const SIM_OF = sql<{ device_id: number }, { device_id: number; number: string }>`
  select device_id from device_sims where device_id = :device_id and number = :number`

const LANE_COUNTS = sql<Lanes, { companies: readonly number[]; lanes: readonly string[] }>`
  select * from lanes where ${isIn('company_id', 'companies')} and ${isIn('lane', 'lanes')}`

const LANES = sql<Lanes, InScope>`
  select * from lanes where true ${when('company_id')`and company_id = :company_id`}`

const COUNT_WAITING = sql<{ lane: string; waiting: number }>`
  select case when lane = '' then 'any' when lane = 'later' then lane
      when lane like 'tag:%' or lane like 'route:%' then 'tag' else 'sim' end as lane, sum(waiting) as waiting
    from lanes group by 1
  union all select 'device', coalesce(sum(sticky), 0) from capacity where queued + sticky > 0`

const lanedColumns = [
  'id',
  'company_id',
  'lane',
  'from_number',
  'via',
  'message_to',
  'priority',
  'avoid_device_id',
  'lane_until',
  'due_at',
  'expires_at',
  'task',
  'guid',
  'api_key_id',
] as const satisfies readonly (keyof Message)[]

const TASKS = selectIn('queue', lanedColumns)

const DUE = sql<LanedTask, { now: string; limit: number }>`
  ${TASKS} and lane_until <= :now order by lane_until ${limit()} ${lockedOrSkipped('queue')}`

const OF_DEVICE = sql<LanedTask, { company_id: number; lane: string; limit: number }>`
  ${TASKS} and queue.company_id = :company_id and lane = :lane ${limit()} ${lockedOrSkipped('queue')}`

const END_STAY = sql<never, { company_id: number; lane: string; now: string }>`
  update queue set lane_until = :now
  where company_id = :company_id and lane = :lane
    and (select from_number from messages where messages.id = queue.id) is not null`

const END_HOURS = sql<never, { company_id: number; now: string }>`
  update queue set lane_until = :now
  where company_id = :company_id and lane = 'later' and due_at <= :now and lane_until > :now`

const END_ALL = sql<never, { company_id: number; now: string }>`
  update queue set lane_until = :now
  where company_id = :company_id and lane is not null and lane <> 'later' and lane not like 'device:%'`

const WITHOUT_SIM = sql<
  Pick<Message, 'id' | 'company_id' | 'device_id' | 'from_number'>,
  { company_id: number; device_id: number }
>`
  ${selectIn('queue', ['id', 'company_id', 'device_id', 'from_number'])}
    and queue.device_id = :device_id and queue.company_id = :company_id and task = 2 and from_number is not null
    and from_number not in (select number from device_sims where device_id = :device_id)
  ${locked('queue')}`

const MOVE = sql<never, { ids: readonly number[]; lane: string; lane_until: string | null }>`
  update queue set lane = :lane, lane_until = :lane_until where ${isIn('id', 'ids')}`

const WAITING = total({
  order: TOTALS_ORDER.lanes,
  columns: { company_id: 'bigint', lane: 'text', waiting: 'bigint' },
  add: (rows) => `insert into lanes (company_id, lane, waiting) ${rows}
    on conflict (company_id, lane) do update set waiting = lanes.waiting + excluded.waiting`,
  less: 'delete from lanes where company_id = :company_id and lane = :lane and waiting <= 0',
})
