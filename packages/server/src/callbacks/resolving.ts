import { lookup, Resolver } from 'node:dns/promises'
import { openTurns } from '#server/core/turns.ts'

/** The addresses of a host name, at least one; rejects where it has none, or nobody answers. */
export type Resolve = (name: string) => Promise<string[]>

/** For each question to a name server, and how often it is asked. */
const RESOLVER = { timeout: 2_000, tries: 2 }
/** Of the process's four threads, so many at most wait for the system's own look-up. */
const LOOKUPS = 2

/**
 * Asks DNS without taking the threads that `dns.lookup` waits in: a name server that never answers would hold up every
 * log-in and every other callback with them. What DNS does not know is looked up as the system does (hosts file, search
 * list), two at a time. `servers` are name servers in place of the system's.
 */
export function openResolving(servers?: readonly string[]): Resolve {
  const resolver = new Resolver(RESOLVER)
  if (servers) resolver.setServers(servers)
  const lookups = new Map<string, Promise<string[]>>()
  const inTurn = openTurns()
  let turn = 0

  function lookUp(name: string): Promise<string[]> {
    const known = lookups.get(name)
    if (known) return known
    const looking = inTurn(String((turn = (turn + 1) % LOOKUPS)), async () => {
      const found = await lookup(name, { all: true })
      return found.map(({ address }) => address)
    })
    lookups.set(name, looking)
    const forget = () => lookups.delete(name)
    looking.then(forget, forget)
    return looking
  }

  return async (name) => {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    const reasons = found.map((answer) => (answer as PromiseRejectedResult).reason as NodeJS.ErrnoException)
    const silent = reasons.find(({ code }) => code === 'ETIMEOUT')
    if (silent) throw silent
    return lookUp(name)
  }
}
