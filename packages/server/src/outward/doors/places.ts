import type { Socket } from 'node:net'
import { openThrottledLog } from '@sdd/mqtt/log.ts'
import type { Logger } from 'pino'
import { addressOf, networkOf } from '#server/core/address.ts'

/** The connections of a door. Those without a key end to make room for new ones. */
export type Places = {
  /** False if there is no place. `end` is called if another connection needs the place. */
  enter(socket: Socket, end: () => void): boolean
  /** The connection has shown a key, and keeps its place. */
  admit(ends: Ends): void
}

/** The other end of a connection. A TLS socket and its TCP socket have the same. */
type Ends = Pick<Socket, 'remoteAddress' | 'remotePort'>

type Place = { network: string; end: () => void }

/** Connections of a door, and those of one network that have shown no key. */
export const PLACES = { all: 500, strangers_per_network: 50 }

export function openPlaces({ log }: { log: Logger }): Places {
  const open = new Map<string, Place>()
  /** Those without a key, the oldest first. */
  const strangers = new Map<string, Place>()
  const throttledLog = openThrottledLog()

  /** Ends the oldest stranger of the network if it has too many, or of all if the door is full. */
  function makeRoom(network: string): boolean {
    const its = Array.from(strangers).filter(([, place]) => place.network === network)
    const crowded_network = its.length >= PLACES.strangers_per_network
    if (!crowded_network && open.size < PLACES.all) return true
    const [oldest] = crowded_network ? its : strangers
    const { level, unsaid } = throttledLog('crowded')
    log[level]({ network, unsaid }, 'A door has too many connections without a key: the oldest is closed')
    if (oldest === undefined) return false
    const [ends, { end }] = oldest
    forget(ends)
    end()
    return true
  }

  function forget(ends: string): void {
    open.delete(ends)
    strangers.delete(ends)
  }

  return {
    enter(socket, end) {
      const network = networkOf(addressOf(socket))
      if (!makeRoom(network)) return false
      const ends = endsOf(socket)
      const place = { network, end }
      open.set(ends, place)
      strangers.set(ends, place)
      socket.once('close', () => {
        if (open.get(ends) === place) forget(ends)
      })
      return true
    },
    admit: (ends) => void strangers.delete(endsOf(ends)),
  }
}

function endsOf(socket: Ends): string {
  return `${addressOf(socket)} ${socket.remotePort}`
}
