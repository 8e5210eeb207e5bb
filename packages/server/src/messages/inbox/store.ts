import type { Insertable } from 'kysely'
import { rowsOf } from '#server/database/direct.ts'
import type { Inbox, Tx } from '#server/database/schema.ts'

export type InboxRow = Pick<Inbox, 'sms_from' | 'text' | 'sms_at'> & { id: number }

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

    /**
     * What the device received and answers nothing, oldest first: of what the server has had since `received_since`,
     * that which came to the device at `sms_since` or later.
     */
    answeringNothing: (wanted: {
      company_id: number
      device_id: number
      received_since: string
      sms_since: string
    }): Promise<InboxRow[]> => {
      const { company_id, device_id, received_since, sms_since } = wanted
      return rowsOf(tx, ANSWERING_NOTHING, [company_id, received_since, device_id, sms_since])
    },

    answer: (id: number, message_id: number) =>
      tx.updateTable('inbox').set({ message_id }).where('id', '=', id).execute(),
  }
}

const ANSWERING_NOTHING = `select id, sms_from, text, sms_at from inbox
  where company_id = ? and received_at >= ? and device_id = ? and message_id is null and sms_at >= ?
  order by id limit 1000`
