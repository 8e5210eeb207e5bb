import { lookup, Resolver } from 'node:dns/promises'
import { openJoining } from '#server/core/joining.ts'
import { openFairTurns } from '#server/core/fair-queue.ts'

/**
 * The addresses of a host name, at least one, for a callback of this company; rejects where it has none, or nobody
 * answers.
 */
export type Resolve = (name: string, company_id: number) => Promise<string[]>

/** For each question to a name server, and how often it is asked. */
const RESOLVER = { timeout: 2_000, tries: 2 }
/** Of the process's four threads, so many at most wait for the system's own look-up; one for the names of one company. */
const LOOKUPS = { overall: 2, each: 1 }

/**
 * Asks DNS without taking the threads that `dns.lookup` waits in: a name server that never answers would hold up every
 * log-in and every other callback with them. What DNS does not know is looked up as the system does (hosts file, search
 * list), two at a time. Who asks for a name that is being asked for gets the same answer. `servers` are name servers in
 * place of the system's.
 */
export function openResolving(servers?: readonly string[]): Resolve {
  const resolver = new Resolver(RESOLVER)
  if (servers) resolver.setServers(servers)
  const joinQuestion = openJoining<string[] | undefined>()
  const joinLookup = openJoining<string[]>()
  const inTurn = openFairTurns(LOOKUPS)

  /** `undefined` where DNS does not know the name. */
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
    // By company: nobody waits for its turn in the place of another.
    return joinLookup(`${company_id} ${name}`, () => inTurn(String(company_id), () => lookUp(name)))
  }
}
