import { isIn, sql } from '@sdd/storage/sql.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Recipients } from '#server/database/task-tables.ts'

/** Which device wrote to a number last; numbers as `numberKey` has them. */
export function recipientStore(tx: Tx, company_id: number) {
  return {
    /** The devices that wrote to these numbers since then, are connected, and may send now. */
    devicesOf: async (numbers: readonly string[], since: string): Promise<Map<string, number>> => {
      const rows = await tx.rows(DEVICES_OF, { company_id, numbers })
      // Not in the statement: SQLite would read all numbers written to since then, by the index on that time.
      const recent = rows.filter(({ last_at }) => last_at >= since)
      return new Map(recent.map(({ number, device_id }) => [number, device_id]))
    },

    hasSim: async (device_id: number, number: string): Promise<boolean> =>
      (await tx.first(SIM_OF, { device_id, number })) !== undefined,

    remember: (number: string, device_id: number, now: string) =>
      tx.put('recipients', { company_id, number }, { device_id, last_at: now }),
  }
}

const DEVICES_OF = sql<
  Pick<Recipients, 'number' | 'device_id' | 'last_at'>,
  { company_id: number; numbers: readonly string[] }
>`
  select number, device_id, last_at
  from recipients join devices on devices.id = recipients.device_id
  where recipients.company_id = :company_id and ${isIn('number', 'numbers')} and status = 'connected' and enabled = 1
    and unlinked_at is null and quarantined_until is null and sent_parts < max_sms_dayly`

const SIM_OF = sql<{ device_id: number }, { device_id: number; number: string }>`
  select device_id from device_sims where device_id = :device_id and number = :number`
