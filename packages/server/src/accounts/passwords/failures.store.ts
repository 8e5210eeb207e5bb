import { holdName, isIn } from '#server/database/dialect.ts'
import type { Tx } from '#server/database/schema.ts'

export function failureStore(tx: Tx) {
  return {
    /** When it failed, the oldest first. */
    async since(subject: string, since: string): Promise<string[]> {
      await holdName(tx, `failures of ${subject}`)
      const rows = await tx
        .selectFrom('failures')
        .select('failed_at')
        .where('subject', '=', subject)
        .where('failed_at', '>', since)
        .orderBy('failed_at')
        .execute()
      return rows.map((row) => row.failed_at)
    },

    async insert(subjects: readonly string[], failed_at: string): Promise<number[]> {
      const rows = await tx
        .insertInto('failures')
        .values(subjects.map((subject) => ({ subject, failed_at })))
        .returning('id')
        .execute()
      return rows.map((row) => row.id)
    },

    remove: (ids: readonly number[]) =>
      tx
        .deleteFrom('failures')
        .where(isIn(tx, 'id', ids))
        .execute(),

    removeBefore: (time: string) => tx.deleteFrom('failures').where('failed_at', '<=', time).execute(),
  }
}
