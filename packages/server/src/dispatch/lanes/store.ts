import { isIn, limit, lockedOrSkipped, sql, when } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import { total } from '@sdd/storage/totals.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import { type Messages, TOTALS_ORDER, type Tx } from '#server/database/schema.ts'
import type { Lanes } from '#server/database/task-tables.ts'

/** How many tasks wait in each lane of a company; a lane without any has no row. */
export function laneStore(tx: Tx, company_id: number) {
  return {
    /** The lanes that the device's SIMs serve, of those in which tasks wait. */
    ofSims: async (device_id: number): Promise<string[]> => {
      const rows = await tx.rows(OF_SIMS, { company_id, device_id })
      return rows.map(({ lane }) => lane)
    },

    /** Adds to the lane's count, or takes away from it if negative. */
    add: (lane: string, tasks: number) => tx.add(WAITING, [company_id, lane], tasks),
  }
}

/** How many tasks wait in these lanes of these companies, by `company lane`. */
export async function laneCounts(
  tx: Tx,
  companies: readonly number[],
  lanes: readonly string[],
): Promise<Map<string, number>> {
  if (lanes.length === 0) return new Map()
  const rows = await tx.rows(LANE_COUNTS, { companies, lanes })
  return new Map(rows.map(({ company_id, lane, waiting }) => [`${company_id} ${lane}`, waiting]))
}

/** All lanes of the scope in which tasks wait, except those of single devices. */
export function lanesOf(tx: Tx, scope: Scope): Promise<Lanes[]> {
  return tx.rows(LANES, within(scope))
}

/** How many tasks wait in lanes of each kind, in all companies. */
export function countWaiting(tx: Tx): Promise<{ lane: string; waiting: number }[]> {
  return tx.rows(COUNT_WAITING)
}

/** Tasks in lanes, of all companies. */
export function laneWalk(tx: Tx) {
  return {
    /** Those whose time in their lane is over, the longest first. */
    due: (now: string, limit: number) => tx.rows(DUE, { now, limit }),

    ofDevice: (company_id: number, device_id: number, limit: number) =>
      tx.rows(OF_DEVICE, { company_id, lane: `device:${device_id}`, limit }),

    /** Those that ask for a SIM have been in the device's lane long enough. */
    endStay: (company_id: number, device_id: number, now: string) =>
      tx.run(END_STAY, { company_id, lane: `device:${device_id}`, now }),

    move: (ids: readonly number[], { lane, lane_until }: { lane: string; lane_until: string | null }) =>
      tx.run(MOVE, { ids, lane, lane_until }),
  }
}

export type LanedTask = Pick<
  Selectable<Messages>,
  'id' | 'company_id' | 'lane' | 'from_number' | 'message_to' | 'avoid_device_id'
>

const OF_SIMS = sql<Pick<Lanes, 'lane'>, { company_id: number; device_id: number }>`
  select lane from device_sims
  join lanes on lanes.company_id = :company_id and lane = 'sim:' || number
  where device_id = :device_id`

const LANE_COUNTS = sql<Lanes, { companies: readonly number[]; lanes: readonly string[] }>`
  select * from lanes where ${isIn('company_id', 'companies')} and ${isIn('lane', 'lanes')}`

const LANES = sql<Lanes, InScope>`
  select * from lanes where true ${when('company_id')`and company_id = :company_id`}`

const COUNT_WAITING = sql<{ lane: string; waiting: number }>`
  select case when lane = '' then 'any' when lane = 'later' then lane else 'sim' end as lane, sum(waiting) as waiting
    from lanes group by 1
  union all select 'device', coalesce(sum(sticky), 0) from devices where sticky > 0`

const TASKS = 'select id, company_id, lane, from_number, message_to, avoid_device_id from messages'

const DUE = sql<LanedTask, { now: string; limit: number }>`
  ${TASKS} where lane_until <= :now order by lane_until ${limit()} ${lockedOrSkipped('messages')}`

const OF_DEVICE = sql<LanedTask, { company_id: number; lane: string; limit: number }>`
  ${TASKS} where company_id = :company_id and lane = :lane ${limit()} ${lockedOrSkipped('messages')}`

const END_STAY = sql<never, { company_id: number; lane: string; now: string }>`
  update messages set lane_until = :now
  where company_id = :company_id and lane = :lane and from_number is not null`

const MOVE = sql<never, { ids: readonly number[]; lane: string; lane_until: string | null }>`
  update messages set lane = :lane, lane_until = :lane_until where ${isIn('id', 'ids')}`

const WAITING = total({
  order: TOTALS_ORDER.lanes,
  columns: { company_id: 'bigint', lane: 'text', waiting: 'bigint' },
  add: (rows) => `insert into lanes (company_id, lane, waiting) ${rows}
    on conflict (company_id, lane) do update set waiting = lanes.waiting + excluded.waiting`,
  less: 'delete from lanes where company_id = :company_id and lane = :lane and waiting <= 0',
})
