import { inList, listValue } from '#server/database/dialect.ts'
import { putRow, rowsOf } from '#server/database/direct.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Recipients } from '#server/database/task-tables.ts'

/** Which device wrote last to whom, by what tells numbers apart (`numberKey`). */
export function recipientStore(tx: Tx, company_id: number) {
  return {
    /** The devices that wrote to these numbers since then, where they are there and may send now. */
    devicesOf: async (numbers: readonly string[], since: string): Promise<Map<string, number>> => {
      const values = [company_id, listValue(tx, numbers)]
      const rows = await rowsOf<Pick<Recipients, 'number' | 'device_id' | 'last_at'>>(tx, usual(tx), values)
      // Not in the statement: SQLite would go through all that were written to since then, by the index of that time.
      const recent = rows.filter(({ last_at }) => last_at >= since)
      return new Map(recent.map(({ number, device_id }) => [number, device_id]))
    },

    hasSim: async (device_id: number, number: string): Promise<boolean> => {
      const row = await tx
        .selectFrom('device_sims')
        .select('device_id')
        .where('device_id', '=', device_id)
        .where('number', '=', number)
        .executeTakeFirst()
      return row !== undefined
    },

    remember: (number: string, device_id: number, now: string) =>
      putRow(tx, 'recipients', { company_id, number }, { device_id, last_at: now }),
  }
}

const usual = (tx: Tx) => `select number, device_id, last_at
  from recipients join devices on devices.id = recipients.device_id
  where recipients.company_id = ? and number ${inList(tx)} and status = 'connected' and enabled = 1
    and unlinked_at is null and quarantined_until is null and sent_parts < max_sms_dayly`
