import { columnTypes } from './column-types.ts'
import type { Tx } from './schema.ts'

/** Adds the samples of connected devices by carrier. */
export async function addCarrierSamples(tx: Tx): Promise<void> {
  const { int, text, byKey } = columnTypes(tx.engine)
  await tx.query(`create table carrier_samples (
    company_id ${int} not null references companies(id), at ${text} not null, carrier ${text} not null,
    connected ${int} not null, total ${int} not null,
    primary key (company_id, at, carrier)) ${byKey}`)
  await tx.query(`create index carrier_samples_by_time on carrier_samples (at, carrier, connected, total)`)
}
