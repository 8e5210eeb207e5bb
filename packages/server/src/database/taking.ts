import type { Database } from './open.ts'
import type { Tx } from './schema.ts'

/**
 * Runs `work`, which takes rows for this server only: a write that marks them if other servers could take them too, and
 * a look if there are none.
 */
export function taking<T>(db: Pick<Database, 'read' | 'write'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.read.engine === 'postgres' ? db.write(work) : work(db.read)
}
