import type { Database } from './open.ts'
import type { Tx } from './schema.ts'

/**
 * Runs `work`, which claims rows for this server. If other servers could claim them too (PostgreSQL), it is a write
 * that marks the rows; otherwise it only reads.
 */
export function claimRows<T>(db: Pick<Database, 'read' | 'write'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.read.engine === 'postgres' ? db.write(work) : work(db.read)
}
