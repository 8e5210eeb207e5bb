import { isIn, sql, tuples } from '@sdd/storage/sql.ts'
import { lockName } from '@sdd/storage/tx.ts'
import type { Tx } from '#server/database/schema.ts'

export function failureStore(tx: Tx) {
  return {
    /** The times of the subject's failures, oldest first. */
    async since(subject: string, since: string): Promise<string[]> {
      await lockName(tx, `failures of ${subject}`)
      const rows = await tx.rows(SINCE, { subject, since })
      return rows.map(({ failed_at }) => failed_at)
    },

    async insert(subjects: readonly string[], failed_at: string): Promise<number[]> {
      const rows = await tx.rows(INSERT, { failures: subjects.map((subject) => [subject, failed_at]) })
      return rows.map(({ id }) => id)
    },

    remove: (ids: readonly number[]) => tx.run(REMOVE, { ids }),

    removeBefore: (time: string) => tx.run(REMOVE_BEFORE, { time }),
  }
}

const SINCE = sql<{ failed_at: string }, { subject: string; since: string }>`
  select failed_at from failures where subject = :subject and failed_at > :since order by failed_at`

const INSERT = sql<{ id: number }, { failures: readonly (readonly string[])[] }>`
  insert into failures (subject, failed_at) ${tuples('failures', ['text', 'text'])} returning id`

const REMOVE = sql<never, { ids: readonly number[] }>`delete from failures where ${isIn('id', 'ids')}`

const REMOVE_BEFORE = sql<never, { time: string }>`delete from failures where failed_at <= :time`
