import { total } from '@sdd/storage/totals.ts'
import { type Counters, TOTALS_ORDER, type Tx } from '#server/database/schema.ts'

/** Adds to a counter, which starts at 0. */
export function addToCounter(
  tx: Tx,
  { figure, company_id, period, key, count, last_at }: Counters,
): Promise<void> {
  return tx.add(COUNTER, [figure, company_id, period, key], count, [last_at])
}

const COUNTER_COLUMNS = 'figure, company_id, period, key, count, last_at'
const ADD_COUNTERS = `insert into counters (${COUNTER_COLUMNS})`
const LAST_AT = (row: string) =>
  `last_at = case when ${row}.count > 0 then ${row}.last_at else counters.last_at end`
const SAME_COUNTER = ['figure', 'company_id', 'period', 'key']
  .map((column) => `counters.${column} = added.${column}`)
  .join(' and ')
const OR_ADD = `on conflict (figure, company_id, period, key) do update set
  count = counters.count + excluded.count, ${LAST_AT('excluded')}`

const COUNTER = total({
  order: TOTALS_ORDER.counters,
  columns: {
    figure: 'text',
    company_id: 'bigint',
    period: 'text',
    key: 'text',
    count: 'bigint',
    last_at: 'text',
  },
  // Nearly all rows exist, and an upsert of such a row takes PostgreSQL a lock more than an update.
  add: (rows) => `with added as materialized (
      select row_number() over () as place, added.* from (${rows}) as added (${COUNTER_COLUMNS})),
    changed as (
      update counters set count = counters.count + added.count, ${LAST_AT('added')} from added
      where ${SAME_COUNTER} returning place)
    ${ADD_COUNTERS} select ${COUNTER_COLUMNS} from added where place not in (select place from changed) ${OR_ADD}`,
  one: `${ADD_COUNTERS} values (:figure, :company_id, :period, :key, :count, :last_at) ${OR_ADD}`,
})
