import { sql } from 'kysely'
import type { Scope } from '#server/core/context.ts'
import { isIn, lockedOrPassed } from '#server/database/dialect.ts'
import { TOTALS_ORDER, type Tx } from '#server/database/schema.ts'
import { addUp } from '#server/database/totals.ts'
import { total } from '@sdd/storage/totals.ts'

/** How many tasks wait in each lane of a company; a lane without any has no row. */
export function laneStore(tx: Tx, company_id: number) {
  return {
    /** Which lanes the device's SIMs serve, of those in which tasks wait. */
    ofSims: async (device_id: number): Promise<string[]> => {
      const rows = await tx
        .selectFrom('device_sims')
        .innerJoin('lanes', (join) =>
          join.on('lanes.company_id', '=', company_id).on('lane', '=', sql<string>`'sim:' || number`),
        )
        .select('lane')
        .where('device_id', '=', device_id)
        .execute()
      return rows.map(({ lane }) => lane)
    },

    /** Adds to the lane's count, or takes away from it where negative. */
    add: (lane: string, tasks: number) => addUp(tx, WAITING, [company_id, lane], tasks),
  }
}

/** How many tasks wait in these lanes of these companies, by `company lane`. */
export async function laneCounts(
  tx: Tx,
  companies: readonly number[],
  lanes: readonly string[],
): Promise<Map<string, number>> {
  if (lanes.length === 0) return new Map()
  const rows = await tx
    .selectFrom('lanes')
    .selectAll()
    .where(isIn(tx, 'company_id', companies))
    .where(isIn(tx, 'lane', lanes))
    .execute()
  return new Map(rows.map(({ company_id, lane, waiting }) => [`${company_id} ${lane}`, waiting]))
}

/** All lanes of the scope in which tasks wait, but those of single devices. */
export function lanesOf(tx: Tx, scope: Scope) {
  return tx
    .selectFrom('lanes')
    .selectAll()
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )
    .execute()
}

/** How many tasks wait in lanes of each kind, in all companies. */
export async function countWaiting(tx: Tx): Promise<{ lane: string; waiting: number }[]> {
  const { rows } = await sql<{ lane: string; waiting: number }>`
    select case when lane = '' then 'any' when lane = 'later' then lane else 'sim' end as lane, sum(waiting) as waiting
      from lanes group by 1
    union all select 'device', coalesce(sum(sticky), 0) from devices where sticky > 0`.execute(tx)
  return rows
}

export type LanedTask = Awaited<ReturnType<ReturnType<typeof laneWalk>['due']>>[number]

/** Tasks in lanes, of all companies alike. */
export function laneWalk(tx: Tx) {
  const tasks = tx
    .selectFrom('messages')
    .select(['id', 'company_id', 'lane', 'from_number', 'message_to', 'avoid_device_id'])
    .$call(lockedOrPassed(tx, 'messages'))

  return {
    /** Those whose time in their lane is over, the longest first. */
    due: (now: string, limit: number) =>
      tasks.where('lane_until', '<=', now).orderBy('lane_until').limit(limit).execute(),

    ofDevice: (company_id: number, device_id: number, limit: number) =>
      tasks
        .where('company_id', '=', company_id)
        .where('lane', '=', `device:${device_id}`)
        .limit(limit)
        .execute(),

    /** Those that ask for a SIM have been in the device's lane long enough. */
    endStay: (company_id: number, device_id: number, now: string) =>
      tx
        .updateTable('messages')
        .set({ lane_until: now })
        .where('company_id', '=', company_id)
        .where('lane', '=', `device:${device_id}`)
        .where('from_number', 'is not', null)
        .execute(),

    move: (ids: readonly number[], place: { lane: string; lane_until: string | null }) =>
      tx
        .updateTable('messages')
        .set(place)
        .where(isIn(tx, 'id', ids))
        .execute(),
  }
}

const WAITING = total({
  order: TOTALS_ORDER.lanes,
  columns: { company_id: 'bigint', lane: 'text', waiting: 'bigint' },
  add: (rows) => `insert into lanes (company_id, lane, waiting) ${rows}
    on conflict (company_id, lane) do update set waiting = lanes.waiting + excluded.waiting`,
  less: 'delete from lanes where company_id = :company_id and lane = :lane and waiting <= 0',
})
