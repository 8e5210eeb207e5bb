import type { KeyCaller } from '#server/core/context.ts'
import type { Entry } from '#server/outward/doors/entry.ts'
import { COMMAND, SmppFault, STATUS } from './codec/commands.ts'
import type { Bind } from './codec/pdus.ts'

/** A program that has bound itself: what it may do, and how to forget it. */
export type Bound = { caller: KeyCaller; transmits: boolean; receives: boolean; leave(): void }

/** The binds of all connections. */
export type Binds = {
  /**
   * Lets a program in. Refuses with the status of the response. Calls `end` once the key may no longer be used.
   */
  bind(command: number, asked: Bind, address: string, end: () => void): Promise<Bound>
}

/** Open binds of a key at this server. */
const MOST_BINDS = 10
const NEWEST_VERSION = 0x50

export function openBinds(entry: Entry): Binds {
  const counts = new Map<number, number>()

  return {
    async bind(command, { password, interface_version }, address, end) {
      if (interface_version > NEWEST_VERSION) throw new SmppFault(STATUS.bind_failed)
      const transmits = command !== COMMAND.bind_receiver
      const receives = command !== COMMAND.bind_transmitter
      const may = transmits ? (['tasks:write'] as const) : (['tasks:write', 'inbox:read'] as const)
      const caller = await entry.admit(password, address, ...may)
      const { api_key_id } = caller
      const count = counts.get(api_key_id) ?? 0
      if (count >= MOST_BINDS) throw new SmppFault(STATUS.bind_failed)
      counts.set(api_key_id, count + 1)
      const unwatch = entry.watch(password, end)
      return {
        caller,
        transmits,
        receives,
        leave() {
          unwatch()
          const left = counts.get(api_key_id)! - 1
          if (left > 0) counts.set(api_key_id, left)
          else counts.delete(api_key_id)
        },
      }
    },
  }
}
