import { randomUUID } from 'node:crypto'
import type { Changed, DeviceStatus } from '@sdd/contract/core/live.ts'
import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { Channel } from '@sdd/storage/database.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import { replicaStore } from './store.ts'

/**
 * This server among the servers of one database. It owns the devices that connect to it while it holds a lease. The
 * only server of a database always holds one.
 */
export type Replica = {
  /** The id under which it owns devices. It changes after a lease is lost. */
  id(): string
  /** Whether the lease is certainly valid. Without it, nothing may be handed over and no device admitted. */
  holds(): boolean
  /** True at one of the servers, except for moments while the leader changes. */
  leads(): boolean
  /** Ends the lease. */
  stop(): Promise<void>
}

/** For a database that only one server can use: every device is its own. */
export function openOnlyReplica(): Replica {
  const id = randomUUID()
  return { id: () => id, holds: () => true, leads: () => true, stop: async () => {} }
}

/** Call it inside a write: once the lease is over, nothing may be stored about this server's devices. */
export async function requireLease(tx: Tx, replica: Pick<Replica, 'id'>): Promise<void> {
  if (!(await replicaStore(tx).isHeld(replica.id()))) throw noLease()
}

/** The error for a device that connects to a server without a lease. */
export function noLease(): Refusal {
  return new Refusal('not_ready', 'This server has lost its lease: connect again.', { retry_after_secs: 1 })
}

/** The events that one server sends to the others. */
type PeerEvents = {
  /** Lists of a company have changed. */
  changed: [company_id: number, what: Changed]
  /** A device has connected or disconnected; the number is that of its connection. */
  status: [company_id: number, uid: string, status: DeviceStatus, connection: number]
  /** Something may be due at any server. */
  wake: []
  /** Disconnect the device's connections with a lower number than this; null: all of them. */
  cut: [uid: string, before: number | null]
  /** Disconnect the browsers of this session. */
  logout: [session_id: number]
  /** An API key was revoked or rotated, so cached keys must be looked up again. */
  revoked: []
  /** The company's settings were saved. Its receiver reads them: they may have changed again since. */
  settings: [company_id: number]
  /** A command for a device that is connected elsewhere. */
  command: [uid: string, command: Command]
}

type Kind = keyof PeerEvents
type Ears = { [K in Kind]?: (...told: PeerEvents[K]) => unknown }

/** The other servers of the same database. Without other servers it does nothing. */
export type Peers = {
  tell<K extends Kind>(kind: K, ...told: PeerEvents[K]): void
  hear(ears: Ears): void
  /** Calls back when events from other servers may have been lost. */
  missed(again: () => void): void
}

export function openPeers(channel: Pick<Channel, 'tell' | 'listen'> | undefined): Peers {
  const listeners: Ears[] = []
  const missers: (() => void)[] = []
  channel?.listen({
    heard(event) {
      const [kind, ...told] = event as [Kind, ...unknown[]]
      for (const ears of listeners) (ears[kind] as ((...told: unknown[]) => void) | undefined)?.(...told)
    },
    missed() {
      for (const again of missers) again()
    },
  })
  return {
    tell: (kind, ...told) => channel?.tell([kind, ...told]),
    hear: (ears) => void listeners.push(ears),
    missed: (again) => void missers.push(again),
  }
}
