import { type Total, total } from '@sdd/storage/totals.ts'
import { TOTALS_ORDER } from '#server/database/schema.ts'

const counter = (kind: 'queued' | 'sticky' | 'unfinished'): Total =>
  total({
    order: TOTALS_ORDER.devices,
    kind,
    columns: { id: 'bigint', more: 'bigint' },
    add: (rows) => `with added (id, more) as (${rows})
      update devices set ${kind} = ${kind} + added.more from added where devices.id = added.id`,
    one: `update devices set ${kind} = ${kind} + :more where id = :id`,
  })

/** What adds to the counters of a device's queue, of its own lane, and of its window. */
export const COUNTERS = {
  queued: counter('queued'),
  sticky: counter('sticky'),
  unfinished: counter('unfinished'),
} as const

/** What adds to the parts of a day, if that is still counted. */
export const OF_DAY = total({
  order: TOTALS_ORDER.devices,
  kind: 'sent_parts',
  columns: { id: 'bigint', day: 'text', more: 'bigint' },
  add: (rows) => `with added (id, day, more) as (${rows})
    update devices set sent_parts = sent_parts + added.more from added
    where devices.id = added.id and sent_day = added.day`,
  one: 'update devices set sent_parts = sent_parts + :more where id = :id and sent_day = :day',
})
