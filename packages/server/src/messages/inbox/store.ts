import type { Insertable } from 'kysely'
import { listed, rowsOf } from '#server/database/direct.ts'
import type { Inbox, Tx } from '#server/database/schema.ts'

export type InboxRow = Pick<Inbox, 'device_id' | 'sms_from' | 'text' | 'sms_at' | 'received_at'> & {
  id: number
}

export function inboxStore(tx: Tx) {
  return {
    /** False where the device has said this one before. */
    async insert(sms: Insertable<Inbox>): Promise<boolean> {
      const row = await tx
        .insertInto('inbox')
        .values(sms)
        .onConflict((conflict) => conflict.columns(['device_id', 'sms_id']).doNothing())
        .returning('id')
        .executeTakeFirst()
      return row !== undefined
    },

    /** How many SMS of this device the server has had since then. */
    async countSince(company_id: number, device_id: number, since: string): Promise<number> {
      const [row] = await rowsOf<{ count: number }>(
        tx,
        'select count(*) as count from inbox where company_id = ? and received_at > ? and device_id = ?',
        [company_id, since, device_id],
      )
      return row!.count
    },

    /** What these devices received and answers nothing, oldest first, of what the server has had since then. */
    answeringNothing(
      devices: readonly { company_id: number; device_id: number; since: string }[],
    ): Promise<InboxRow[]> {
      const { text, values } = listed(
        tx,
        ['bigint', 'bigint', 'text'],
        devices.map(({ company_id, device_id, since }) => [company_id, device_id, since]),
      )
      return rowsOf(
        tx,
        `with asked (company_id, device_id, since) as (${text})
          select inbox.id, inbox.device_id, sms_from, text, sms_at, received_at from inbox
          join (select distinct company_id, device_id, since from asked) as asked
            on inbox.company_id = asked.company_id and received_at >= since and inbox.device_id = asked.device_id
          where message_id is null order by inbox.id limit 10000`,
        values,
      )
    },

    answer: (id: number, message_id: number) =>
      tx.updateTable('inbox').set({ message_id }).where('id', '=', id).execute(),
  }
}
