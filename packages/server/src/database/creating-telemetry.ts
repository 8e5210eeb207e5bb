import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Creates the tables of telemetry. New slots are next to each other, so that writing and removing them touches few pages. */
export async function createTelemetry(tx: Tx): Promise<void> {
  const { int, text, real, byKey } = columnTypes(tx.engine)
  const measures = ['battery', 'temperature', 'disk_free_mb', 'signal_dbm']
  const sums = measures.map((name) => `${name}_sum ${real} not null, ${name}_count ${int} not null`)
  for (const statement of [
    `create table telemetry (
      device_id ${int} primary key, at ${text} not null, battery ${real}, charging ${int}, temperature ${real},
      disk_free_mb ${real}, signal_dbm ${real}) ${tx.engine === 'postgres' ? 'with (fillfactor = 70)' : ''}`,
    `create table telemetry_slots (
      slot ${int} not null, device_id ${int} not null, charging ${int}, ${sums.join(', ')},
      primary key (slot, device_id)) ${byKey}`,
  ])
    await tx.query(statement)
}
