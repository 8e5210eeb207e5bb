import { lookup, Resolver } from 'node:dns/promises'
import { openCoalescing } from '#server/core/coalescing.ts'
import { openFairTurns } from '#server/outward/callbacks/fair-turns.ts'

/**
 * Resolves a host name to at least one address, for a callback of this company. Rejects if the name has none or no
 * server answers.
 */
export type Resolve = (name: string, company_id: number) => Promise<string[]>

/** Applies to each query to a name server. */
const RESOLVER = { timeout: 2_000, tries: 2 }
/** At most this many of the process's four threads wait for the system's look-up, and one for each company's names. */
const LOOKUPS = { overall: 2, each: 1 }

/**
 * Queries DNS without the threads of `dns.lookup`, as a silent name server would block them for all logins and other
 * callbacks. Names that DNS does not know are looked up by the system (hosts file, search list), two at a time.
 * Simultaneous requests for a name share one answer. `servers` replaces the system's name servers.
 */
export function openResolving(servers?: readonly string[]): Resolve {
  const resolver = new Resolver(RESOLVER)
  if (servers) resolver.setServers(servers)
  const joinQuestion = openCoalescing<string[] | undefined>()
  const joinLookup = openCoalescing<string[]>()
  const inTurn = openFairTurns(LOOKUPS)

  /** `undefined` if DNS does not know the name. */
  async function ask(name: string): Promise<string[] | undefined> {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses
    const reasons = found.map((answer) => (answer as PromiseRejectedResult).reason as NodeJS.ErrnoException)
    const silent = reasons.find(({ code }) => code === 'ETIMEOUT')
    if (silent) throw silent
    return undefined
  }

  async function lookUp(name: string): Promise<string[]> {
    const found = await lookup(name, { all: true })
    return found.map(({ address }) => address)
  }

  return async (name, company_id) => {
    const known = await joinQuestion(name, () => ask(name))
    if (known) return known
    // By company, so that no request has to wait for another company's turn.
    return joinLookup(`${company_id} ${name}`, () => inTurn(String(company_id), () => lookUp(name)))
  }
}
