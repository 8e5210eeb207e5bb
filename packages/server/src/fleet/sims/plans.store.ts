import { isIn, limit, locked, sql, tuples } from '@sdd/storage/sql.ts'
import type { Selectable } from '@sdd/storage/tables.ts'
import type { Sims, SimRecipients } from '#server/database/device-tables.ts'
import type { Tx } from '#server/database/schema.ts'

/** What a claim needs of a SIM. */
export type PlannedSim = Pick<
  Selectable<Sims>,
  | 'id'
  | 'device_id'
  | 'iccid'
  | 'said_number'
  | 'number'
  | 'parts_per_month'
  | 'recipients_per_month'
  | 'renews_on_day'
  | 'valid_until'
  | 'ends_at'
  | 'used_since'
  | 'used_until'
  | 'used_parts'
  | 'used_recipients'
>

type Recipient = readonly [sim_id: number, number: string]

/** SIMs with plans, and the recipients that count against them. */
export function planStore(tx: Tx) {
  return {
    /** The SIMs of these devices, by slot, locked until the commit. */
    hold: (device_ids: readonly number[]) => tx.rows(HOLD, { device_ids }),

    /** SIMs whose period is over by then. */
    over: (now: string, most: number) => tx.rows(OVER, { now, limit: most }),

    /** Those of these recipients that count already, with their messages, as `sim number`. */
    counted: async (recipients: readonly Recipient[]): Promise<Map<string, number>> => {
      if (recipients.length === 0) return new Map()
      const rows = await tx.rows(COUNTED, { recipients })
      return new Map(rows.map(({ sim_id, number, messages }) => [`${sim_id} ${number}`, messages]))
    },

    clear: (sim_id: number) => tx.run(CLEAR, { sim_id }),

    add: async (rows: readonly SimRecipients[]): Promise<void> => {
      if (rows.length > 0) await tx.insert('sim_recipients', rows)
    },

    set: ({ sim_id, number, messages }: SimRecipients) =>
      messages > 0
        ? tx.put('sim_recipients', { sim_id, number }, { messages })
        : tx.delete('sim_recipients', { sim_id, number }),
  }
}

const HOLD = sql<PlannedSim, { device_ids: readonly number[] }>`
  select id, device_id, iccid, said_number, number, parts_per_month, recipients_per_month, renews_on_day, valid_until, ends_at,
    used_since, used_until, used_parts, used_recipients
  from sims where ${isIn('device_id', 'device_ids')} order by device_id, slot, id ${locked('sims')}`

const OVER = sql<{ id: number }, { now: string; limit: number }>`
  select id from sims where used_until <= :now order by used_until ${limit()}`

const COUNTED = sql<SimRecipients, { recipients: readonly Recipient[] }>`
  select * from sim_recipients where (sim_id, number) in (${tuples('recipients', ['bigint', 'text'])})`

const CLEAR = sql<never, { sim_id: number }>`delete from sim_recipients where sim_id = :sim_id`
