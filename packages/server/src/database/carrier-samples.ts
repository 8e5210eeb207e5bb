import type { Tx } from './schema.ts'

/** Adds the samples of connected devices by carrier. */
export async function addCarrierSamples(tx: Tx): Promise<void> {
  const postgres = tx.engine === 'postgres'
  const text = postgres ? 'text collate "C"' : 'text'
  const int = postgres ? 'bigint' : 'integer'
  await tx.query(`create table carrier_samples (
    company_id ${int} not null references companies(id), at ${text} not null, carrier ${text} not null,
    connected ${int} not null, total ${int} not null,
    primary key (company_id, at, carrier)) ${postgres ? '' : 'without rowid'}`)
  await tx.query(`create index carrier_samples_by_time on carrier_samples (at, carrier, connected, total)`)
}
