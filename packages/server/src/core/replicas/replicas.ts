import { randomUUID } from 'node:crypto'
import type { Changed, DeviceStatus } from '@sdd/contract/core/live.ts'
import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { Channel } from '@sdd/storage/database.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import { replicaStore } from './store.ts'

/**
 * This server among those that work on the same database. The devices that connect to it are its own for as long as it
 * holds a lease. The only server of a database always holds one.
 */
export type Replica = {
  /** The name under which devices are its own. It changes after a lease was lost. */
  id(): string
  /** Whether the lease lasts for certain: without it nothing may be handed over, and no device be let in. */
  holds(): boolean
  /** True at one of the servers, except for moments in which that changes. */
  leads(): boolean
  /** Ends the lease. */
  stop(): Promise<void>
}

/** For a database that only one server can use: every device is its own. */
export function openOnlyReplica(): Replica {
  const id = randomUUID()
  return { id: () => id, holds: () => true, leads: () => true, stop: async () => {} }
}

/** To be called inside a write: once the lease is over, nothing may be stored about this server's devices. */
export async function requireLease(tx: Tx, replica: Pick<Replica, 'id'>): Promise<void> {
  if (!(await replicaStore(tx).isHeld(replica.id()))) throw noLease()
}

/** Ends the connection of a device that connects to a server without a lease. */
export function noLease(): Refusal {
  return new Refusal('not_ready', 'This server begins anew: connect again.', { retry_after_secs: 1 })
}

/** What one server tells the others. */
export type Told = {
  /** Lists of a company have changed. */
  changed: [company_id: number, what: Changed]
  /** A device has connected or disconnected; the number is that of its connection. */
  status: [company_id: number, uid: string, status: DeviceStatus, connection: number]
  /** Something may be due at any server. */
  wake: []
  /** Connections of a device with a lower number than this are to end. */
  cut: [uid: string, before: number | null]
  /** Connections of browsers with this session are to end. */
  logout: [session_id: number]
  /** An API key was revoked or rotated: remembered keys are looked up again. */
  revoked: []
  /** Sending was switched on or off. */
  sending: [company_id: number, on: boolean]
  /** A command for a device that is connected elsewhere. */
  command: [uid: string, command: Command]
}

type Kind = keyof Told
type Ears = { [K in Kind]?: (...told: Told[K]) => unknown }

/** The other servers over the same database. Alone, nobody is told and nobody says anything. */
export type Others = {
  tell<K extends Kind>(kind: K, ...told: Told[K]): void
  hear(ears: Ears): void
  /** Calls back when others may have told something that was not heard. */
  missed(again: () => void): void
}

export function openOthers(channel: Pick<Channel, 'tell' | 'listen'> | undefined): Others {
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
