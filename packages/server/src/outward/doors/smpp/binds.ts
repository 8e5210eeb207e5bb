import { isSmppLogin } from '#server/accounts/api-keys/smpp-login.ts'
import type { KeyCaller } from '#server/core/context.ts'
import type { Entry } from '#server/outward/doors/entry.ts'
import { COMMAND, SmppFault, STATUS } from './codec/commands.ts'
import type { Bind } from './codec/pdus.ts'
import type { Deliveries, Receiver } from './deliveries.ts'

/** A program that has bound itself. */
export type Bound = {
  caller: KeyCaller
  transmits: boolean
  /** Call once the program knows that it is bound: receipts and received SMS may come now. */
  ready(receiver: Receiver): void
  /** Forgets the bind. */
  leave(): void
}

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

export function openBinds(entry: Entry, deliveries: Pick<Deliveries, 'note' | 'add'>): Binds {
  const counts = new Map<number, number>()

  return {
    async bind(command, { system_id, password, interface_version }, address, end) {
      if (interface_version > NEWEST_VERSION) throw new SmppFault(STATUS.bind_failed)
      const transmits = command !== COMMAND.bind_receiver
      const receives = command !== COMMAND.bind_transmitter
      const may = transmits ? (['tasks:write'] as const) : (['tasks:write', 'inbox:read'] as const)
      const short = isSmppLogin(system_id, password)
      const caller = short
        ? await entry.admitSmpp({ system_id, password }, address, ...may)
        : await entry.admit(password, address, ...may)
      const { api_key_id } = caller
      const count = counts.get(api_key_id) ?? 0
      if (count >= MOST_BINDS) throw new SmppFault(STATUS.bind_failed)
      counts.set(api_key_id, count + 1)
      const unwatch = entry.watch(short ? caller : password, end)
      let remove: (() => void) | undefined
      function leave(): void {
        remove?.()
        unwatch()
        const left = counts.get(api_key_id)! - 1
        if (left > 0) counts.set(api_key_id, left)
        else counts.delete(api_key_id)
      }
      if (receives)
        await deliveries.note(caller).catch((error: unknown) => {
          leave()
          throw error
        })
      return {
        caller,
        transmits,
        ready(receiver) {
          if (receives) remove = deliveries.add(caller, receiver)
        },
        leave,
      }
    },
  }
}
