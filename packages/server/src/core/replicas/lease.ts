import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import { replicaStore } from './store.ts'

/**
 * This server among those that work on the same database: the devices that connect to it are its own for as long as it
 * holds a lease. Alone it always does.
 */
export type Replica = {
  /** By this name devices are its own; another one after a lease was lost. */
  id(): string
  /** Whether the lease lasts for certain: without it nothing may be handed over, and no device be let in. */
  holds(): boolean
  /** Of all servers one, but for moments in which it changes. */
  leads(): boolean
  /** Ends the lease. */
  stop(): Promise<void>
}

/** Inside a write: nothing may be said of this server's devices once its lease is over. */
export async function requireLease(tx: Tx, replica: Pick<Replica, 'id'>): Promise<void> {
  if (!(await replicaStore(tx).isHeld(replica.id()))) throw noLease()
}

/** What a device is told, by the end of its connection, that comes to a server without a lease. */
export function noLease(): Refusal {
  return new Refusal('not_ready', 'This server begins anew: connect again.', { retry_after_secs: 1 })
}
