import type { Command } from '@sdd/contract/fleet/device-protocol.ts'
import type { DeviceStatus, Changed } from '@sdd/contract/core/live.ts'
import type { Channel } from '@sdd/storage/database.ts'

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
  /** An API key was revoked or rotated: what is remembered of any is asked anew. */
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
