import { type Connection, connect, type Settings } from './connection.ts'
import type { Tx } from '#storage/tx.ts'
import { isUnreachable } from './reach.ts'
import { postgresTx, transact } from './tx.ts'

/** Yields to any other holder of a lock: this transaction can be retried, and must not make others queue behind it. */
const LOCK_MS = 100

/**
 * Runs slow transactions in a separate session, one at a time, so that writers continue meanwhile. A transaction that
 * would have to wait for a lock is rolled back and throws `not_ready`.
 */
export function openOwnSession<Tables>(
  settings: Settings,
  toCallerError: (error: unknown) => unknown,
): { inOwnSession<T>(work: (tx: Tx<Tables>) => Promise<T>): Promise<T>; close(): Promise<void> } {
  let open: Connection | undefined
  let last: Promise<unknown> = Promise.resolve()
  const tx = postgresTx<Tables>(({ text, name }, values) => open!.send(text, values, name), { writing: true })

  async function run<T>(work: (tx: Tx<Tables>) => Promise<T>): Promise<T> {
    try {
      if (!open || open.broken()) open = await connect({ ...settings, lock_timeout: LOCK_MS })
      return await transact(open, tx, work)
    } catch (error) {
      if (isUnreachable(error)) drop()
      throw toCallerError(error)
    }
  }

  function drop(): void {
    void open?.close().catch(() => {})
    open = undefined
  }

  return {
    inOwnSession(work) {
      const running = last.then(() => run(work))
      last = running.catch(() => {})
      return running
    },
    async close() {
      await last
      await open?.close()
    },
  }
}
