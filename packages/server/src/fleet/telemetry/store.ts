import { isIn, limit, sql, tuples } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import type { Telemetry, TelemetrySlots } from '#server/database/device-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import { measures, type PointSums } from './slots.ts'

/** The latest telemetry of devices, and its history. */
export function telemetryStore(tx: Tx) {
  return {
    latest: (device_id: number) => tx.first(LATEST, { device_id }),

    /** The points of a device from slot `from` to slot `to`, both included, in order. Each has `width` slots. */
    points: (device_id: number, { from, to, width }: { from: number; to: number; width: number }) =>
      tx.rows(POINTS, { device_id, width, slots: Array.from({ length: to - from + 1 }, (_, n) => from + n) }),

    /** Merges each row with that of its device: a null leaves the value. Each device once. */
    async merge(latest: readonly Latest[]): Promise<void> {
      const rows = latest.map((row) => LATEST_COLUMNS.map((column) => row[column]))
      if (rows.length > 0) await tx.run(MERGE, { rows })
    },

    /** Adds each row to that of its device and slot. Each device and slot once. */
    async add(slots: readonly Sums[]): Promise<void> {
      const rows = slots.map((row) => SLOT_COLUMNS.map((column) => row[column]))
      if (rows.length > 0) await tx.run(ADD, { rows })
    },

    /** Removes at most this many slots before this one, and returns how many. */
    forget: async (before: number, most: number): Promise<number> =>
      (await tx.rows(FORGET, { before, limit: most })).length,
  }
}

type Latest = Selectable<Telemetry>
type Sums = Selectable<TelemetrySlots>

const LATEST_COLUMNS = [
  'device_id',
  'at',
  'battery',
  'charging',
  'temperature',
  'disk_free_mb',
  'signal_dbm',
] as const
const SUMS = measures.flatMap((measure) => [`${measure}_sum`, `${measure}_count`] as const)
const SLOT_COLUMNS = ['slot', 'device_id', 'charging', ...SUMS] as const

type Row = readonly (string | number | null)[]

const LATEST = sql<Latest, { device_id: number }>`
  select ${LATEST_COLUMNS.join(', ')} from telemetry where device_id = :device_id`

/**
 * The slots come first in the index, so that new rows are next to each other. Each slot is looked up. 30 days have 8,640, so
 * the database adds them up. `charging` is the last that is not null.
 */
const POINTS = sql<PointSums, { device_id: number; width: number; slots: readonly number[] }>`
  select slot / cast(:width as bigint) as point, max(slot * 2 + charging) % 2 as charging,
    ${SUMS.map((column) => `sum(${column}) as ${column}`).join(', ')}
  from telemetry_slots where ${isIn('slot', 'slots')} and device_id = :device_id group by point order by point`

const FLOAT = 'double precision'

const MERGE = sql<never, { rows: readonly Row[] }>`
  insert into telemetry (${LATEST_COLUMNS.join(', ')})
  select * from (${tuples('rows', ['bigint', 'text', FLOAT, 'bigint', FLOAT, FLOAT, FLOAT])}) as said where true
  on conflict (device_id) do update set at = excluded.at, ${LATEST_COLUMNS.slice(2)
    .map((column) => `${column} = coalesce(excluded.${column}, telemetry.${column})`)
    .join(', ')}`

const ADD = sql<never, { rows: readonly Row[] }>`
  insert into telemetry_slots (${SLOT_COLUMNS.join(', ')})
  select * from (${tuples('rows', ['bigint', 'bigint', 'bigint', ...measures.flatMap(() => [FLOAT, 'bigint'] as const)])}) as said
  where true
  on conflict (slot, device_id) do update set
    charging = coalesce(excluded.charging, telemetry_slots.charging),
    ${SUMS.map((column) => `${column} = telemetry_slots.${column} + excluded.${column}`).join(', ')}`

const FORGET = sql<{ slot: number }, { before: number; limit: number }>`
  delete from telemetry_slots where (slot, device_id) in (
    select slot, device_id from telemetry_slots where slot < :before order by slot, device_id ${limit()})
  returning slot`
