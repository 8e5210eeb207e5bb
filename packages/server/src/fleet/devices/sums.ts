import type { Total } from '#server/database/totals.ts'

const counter = (kind: 'queued' | 'sticky' | 'unfinished'): Total => ({
  table: 'devices',
  kind,
  types: ['bigint', 'bigint'],
  add: (rows) => `with added (id, n) as (${rows})
    update devices set ${kind} = ${kind} + added.n from added where devices.id = added.id`,
  one: `update devices set ${kind} = ${kind} + ?2 where id = ?1`,
})
/** What adds to the counters of a device's queue, of its own lane, and of its window. */
export const COUNTERS = {
  queued: counter('queued'),
  sticky: counter('sticky'),
  unfinished: counter('unfinished'),
} as const
/** What adds to the parts of a day, if that is still counted. */
export const OF_DAY: Total = {
  table: 'devices',
  kind: 'sent_parts',
  types: ['bigint', 'text', 'bigint'],
  add: (rows) => `with added (id, day, n) as (${rows})
    update devices set sent_parts = sent_parts + added.n from added
    where devices.id = added.id and sent_day = added.day`,
  one: 'update devices set sent_parts = sent_parts + ?3 where id = ?1 and sent_day = ?2',
}
