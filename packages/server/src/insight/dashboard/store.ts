import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import { isIn, limit, sql, when } from '@sdd/storage/sql.ts'
import { type InScope, type Scope, within } from '#server/core/context.ts'
import type { Counters, Figure, Tx } from '#server/database/schema.ts'

/** The counters and samples of the scope. Those of several companies are summed. */
export function dashboardStore(tx: Tx, scope: Scope) {
  /** The ids of the devices with the highest count. */
  const most = async (figure: Figure, period: string, limit: number): Promise<number[]> => {
    const rows = await tx.rows(MOST, { figure, period, limit, ...within(scope) })
    return rows.map(({ key }) => Number(key))
  }

  return {
    /** Counts by period and key, from this period on. */
    byPeriod: (figure: Figure, since: string) => tx.rows(BY_PERIOD, { figure, since, ...within(scope) }),

    /** Counts by key, over all periods from this one on. */
    byKey: (figure: Figure, since: string) => tx.rows(BY_KEY, { figure, since, ...within(scope) }),

    /** The devices with the most failures on that day, then those that sent the most. */
    async byDevice(period: string, limit: number): Promise<Dashboard['by_device']> {
      const failing = await most('failed', period, limit)
      const busy = failing.length < limit ? await most('sent', period, limit) : []
      const ids = [...new Set([...failing, ...busy])].slice(0, limit)
      return ids.length === 0 ? [] : tx.rows(BY_DEVICE, { ids, period })
    },

    /** The day's failures by code, most frequent first. */
    failures: (period: string, limit: number) => tx.rows(FAILURES, { period, limit, ...within(scope) }),

    /** Oldest first. */
    samples: (since: string) => tx.rows(SAMPLES, { since, ...within(scope) }),

    /** The sums of the samples of each hour, by carrier. */
    byCarrier: (since: string) => tx.rows(BY_CARRIER, { since, ...within(scope) }),
  }
}

/** Maintains the dashboard's own tables, for all companies. */
export function upkeepStore(tx: Tx) {
  return {
    /** Stores how many devices of each company and carrier are connected, once for each `at`. */
    async sample(at: string): Promise<void> {
      await tx.run(SAMPLE, { at })
      await tx.run(SAMPLE_CARRIERS, { at })
    },

    /** Removes at most `limit` counters of earlier periods. Returns how many. */
    forgetCounters: async (before: string, limit: number): Promise<number> =>
      (await tx.rows(FORGET_COUNTERS, { before, limit })).length,

    /** Removes at most `limit` earlier samples. Returns how many. */
    async forgetSamples(before: string, limit: number): Promise<number> {
      const carriers = await tx.rows(FORGET_CARRIERS, { before, limit })
      return carriers.length + (await tx.rows(FORGET_SAMPLES, { before, limit })).length
    },
  }
}

type Counter = Pick<Counters, 'figure' | 'period' | 'key' | 'count' | 'last_at'>
type Since = { since: string } & InScope
type Step = { before: string; limit: number }

const IN_SCOPE = when('company_id')`and company_id = :company_id`

const MOST = sql<Pick<Counter, 'key'>, { figure: Figure; period: string; limit: number } & InScope>`
  select key from counters where figure = :figure ${IN_SCOPE} and period = :period and count > 0
  order by count desc ${limit()}`

const BY_PERIOD = sql<Pick<Counter, 'period' | 'key' | 'count'>, { figure: Figure } & Since>`
  select period, key, sum(count) as count from counters
  where figure = :figure ${IN_SCOPE} and period >= :since group by period, key`

const BY_KEY = sql<Pick<Counter, 'key' | 'count'>, { figure: Figure } & Since>`
  select key, sum(count) as count from counters
  where figure = :figure ${IN_SCOPE} and period >= :since group by key`

/**
 * Looks each figure up, since SQLite would implement a join by scanning all devices of the day. After a move to another
 * time zone, a day may lose messages that it never counted, so negative counts show as 0.
 */
const countOf = (figure: 'sent' | 'delivered' | 'failed') => `coalesce((
    select count from counters where figure = '${figure}' and company_id = devices.company_id
      and period = :period and key = cast(devices.id as text) and count > 0), 0) as ${figure}`

const BY_DEVICE = sql<Dashboard['by_device'][number], { ids: readonly number[]; period: string }>`
  select uid as device_uid, ${countOf('sent')}, ${countOf('delivered')}, ${countOf('failed')}
  from devices where ${isIn('id', 'ids')} order by failed desc, sent desc`

const FAILURES = sql<Dashboard['failures'][number], { period: string; limit: number } & InScope>`
  select key as code, sum(count) as count, max(last_at) as last_at from counters
  where figure = 'failure' ${IN_SCOPE} and period = :period
  group by key having sum(count) > 0 order by count desc, code ${limit()}`

const SAMPLES = sql<Dashboard['connected'][number], Since>`
  select at, sum(connected) as connected, sum(total) as total from presence_samples
  where at >= :since ${IN_SCOPE} group by at order by at`

const BY_CARRIER = sql<{ carrier: string; hour: string; connected: number; total: number }, Since>`
  select carrier, substr(at, 1, 13) as hour, sum(connected) as connected, sum(total) as total
  from carrier_samples where at >= :since ${IN_SCOPE} group by carrier, substr(at, 1, 13)`

const SAMPLE = sql<never, { at: string }>`
  insert into presence_samples (company_id, at, connected, total)
  select companies.id, :at, count(case when devices.status = 'connected' then 1 end), count(devices.id)
  from companies left join devices on devices.company_id = companies.id and devices.unlinked_at is null
  where true
  group by companies.id
  on conflict (company_id, at) do nothing`

const SAMPLE_CARRIERS = sql<never, { at: string }>`
  insert into carrier_samples (company_id, at, carrier, connected, total)
  select company_id, :at, coalesce(carrier, ''), count(case when status = 'connected' then 1 end), count(*)
  from devices where unlinked_at is null group by company_id, coalesce(carrier, '')
  on conflict (company_id, at, carrier) do nothing`

const FORGET_COUNTERS = sql<{ company_id: number }, Step>`
  delete from counters where (figure, company_id, period, key) in (
    select figure, company_id, period, key from counters where period < :before ${limit()})
  returning company_id`

const FORGET_SAMPLES = sql<{ company_id: number }, Step>`
  delete from presence_samples where (company_id, at) in (
    select company_id, at from presence_samples where at < :before ${limit()})
  returning company_id`

const FORGET_CARRIERS = sql<{ company_id: number }, Step>`
  delete from carrier_samples where (company_id, at, carrier) in (
    select company_id, at, carrier from carrier_samples where at < :before ${limit()})
  returning company_id`
