import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import { sql } from 'kysely'
import type { Scope } from '#server/core/context.ts'
import { isIn } from '#server/database/dialect.ts'
import type { Figure, Tx } from '#server/database/schema.ts'

/** The counters and samples of the scope; those of several companies are summed. */
export function dashboardStore(tx: Tx, scope: Scope) {
  const counters = (figure: Figure) =>
    tx
      .selectFrom('counters')
      .where('figure', '=', figure)
      .$if(scope !== 'all', (query) =>
        query.where('counters.company_id', '=', (scope as { company_id: number }).company_id),
      )

  const samples = tx
    .selectFrom('presence_samples')
    .$if(scope !== 'all', (query) =>
      query.where('company_id', '=', (scope as { company_id: number }).company_id),
    )

  /** Ids of the devices with the highest count. */
  const most = async (figure: Figure, period: string, limit: number): Promise<number[]> => {
    const rows = await counters(figure)
      .select('key')
      .where('period', '=', period)
      .where('count', '>', 0)
      .orderBy('count', 'desc')
      .limit(limit)
      .execute()
    return rows.map(({ key }) => Number(key))
  }

  return {
    /** By period and key, from this period on. */
    byPeriod: (figure: Figure, since: string) =>
      counters(figure)
        .select((select) => ['period', 'key', select.fn.sum<number>('count').as('count')])
        .where('period', '>=', since)
        .groupBy(['period', 'key'])
        .execute(),

    /** By key, all periods from this one on together. */
    byKey: (figure: Figure, since: string) =>
      counters(figure)
        .select((select) => ['key', select.fn.sum<number>('count').as('count')])
        .where('period', '>=', since)
        .groupBy('key')
        .execute(),

    /** The devices of that day with most failures, then those that sent most. */
    async byDevice(period: string, limit: number): Promise<Dashboard['by_device']> {
      const failing = await most('failed', period, limit)
      const busy = failing.length < limit ? await most('sent', period, limit) : []
      const ids = [...new Set([...failing, ...busy])].slice(0, limit)
      if (ids.length === 0) return []
      return tx
        .selectFrom('devices')
        .select(['uid as device_uid', countOf('sent'), countOf('delivered'), countOf('failed')])
        .where(isIn(tx, 'id', ids))
        .orderBy('failed', 'desc')
        .orderBy('sent', 'desc')
        .execute()

      /**
       * A look-up in each figure: as a join, SQLite would go through all devices of the day. A server that was moved
       * to another zone takes some out of a day that they did not join; less than none is none.
       */
      function countOf<F extends 'sent' | 'delivered' | 'failed'>(figure: F) {
        return sql<number>`coalesce((
          select count from counters
          where figure = ${figure} and company_id = devices.company_id
            and period = ${period} and key = cast(devices.id as text) and count > 0), 0)`.as(figure)
      }
    },

    /** What failed on that day, by code, the most frequent first. */
    failures: (period: string, limit: number) =>
      counters('failure')
        .select((select) => [
          'key as code',
          select.fn.sum<number>('count').as('count'),
          select.fn.max('last_at').as('last_at'),
        ])
        .where('period', '=', period)
        .groupBy('key')
        .having((having) => having.fn.sum<number>('count'), '>', 0)
        .orderBy('count', 'desc')
        .orderBy('code')
        .limit(limit)
        .execute(),

    /** The oldest first. */
    samples: (since: string) =>
      samples
        .select((select) => [
          'at',
          select.fn.sum<number>('connected').as('connected'),
          select.fn.sum<number>('total').as('total'),
        ])
        .where('at', '>=', since)
        .groupBy('at')
        .orderBy('at')
        .execute(),
  }
}

/** What keeps the dashboard's own tables: for all companies alike. */
export function upkeepStore(tx: Tx) {
  return {
    /** Notes for every company how many of its devices are connected; once for each `at`. */
    sample: (at: string) =>
      sql`
        insert into presence_samples (company_id, at, connected, total)
        select companies.id, ${at}, count(case when devices.status = 'connected' then 1 end), count(devices.id)
        from companies left join devices on devices.company_id = companies.id and devices.unlinked_at is null
        where true
        group by companies.id
        on conflict (company_id, at) do nothing`.execute(tx),

    /** How many counters of earlier periods it has removed, at most `limit`. */
    forgetCounters: async (before: string, limit: number): Promise<number> => {
      const { rows } = await sql`
        delete from counters where (figure, company_id, period, key) in (
          select figure, company_id, period, key from counters where period < ${before} limit ${limit})
        returning company_id`.execute(tx)
      return rows.length
    },

    /** How many earlier samples it has removed, at most `limit`. */
    forgetSamples: async (before: string, limit: number): Promise<number> => {
      const { rows } = await sql`
        delete from presence_samples where (company_id, at) in (
          select company_id, at from presence_samples where at < ${before} limit ${limit})
        returning company_id`.execute(tx)
      return rows.length
    },
  }
}
