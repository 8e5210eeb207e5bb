import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '#server/core/config.ts'
import { hostOf, listsHost } from '#server/core/hosts.ts'
import { openJoining } from '#server/core/joining.ts'
import { Refusal } from '#server/core/refusal.ts'
import { openFairTurns } from '#server/core/fair-queue.ts'
import { isPublic } from './ranges.ts'
import type { Resolve } from './resolving.ts'

/** Where callbacks may go (`CALLBACK_ADDRESSES`, `CALLBACK_HOSTS`). */
export type Addresses = {
  /** Why callbacks go to no host and port like this, whatever its addresses; `undefined` where they may. */
  unlisted(url: URL): string | undefined
  /** Where the host of the company's URL lies at this moment: each address may be connected to, or none may. */
  of(url: URL, company_id: number): Promise<Found>
  /** The same for whoever gives a listed URL, in turn with the others of the company and with other companies. */
  inTurn(url: URL, company_id: number): Promise<Found>
}

/** `refused` and `unknown` are sentences without their subject. */
export type Found = { addresses: readonly string[] } | { refused: string } | { unknown: string }

export function openAddresses({ CALLBACK_ADDRESSES, CALLBACK_HOSTS }: Allowed, resolve: Resolve): Addresses {
  const takeTurn = openFairTurns(LOOK_UPS)
  const join = openJoining<Found>()

  const unlisted = (url: URL) =>
    CALLBACK_HOSTS === undefined || listsHost(CALLBACK_HOSTS, url) ? undefined : NOT_LISTED

  async function of(url: URL, company_id: number): Promise<Found> {
    const refused = unlisted(url)
    if (refused !== undefined) return { refused }
    const host = hostOf(url)
    let addresses: readonly string[]
    if (isIP(host)) addresses = [host]
    // RFC 6761: never another machine, whatever a name server says.
    else if (host === 'localhost' || host.endsWith('.localhost')) addresses = ['127.0.0.1', '::1']
    else {
      try {
        addresses = await resolve(host, company_id)
      } catch (error) {
        return { unknown: `has no address now (${(error as NodeJS.ErrnoException).code ?? 'not found'})` }
      }
    }
    return CALLBACK_ADDRESSES === 'any' || addresses.every(isPublic) ? { addresses } : { refused: NOT_PUBLIC }
  }

  return {
    unlisted,
    of,
    inTurn(url, company_id) {
      const company = String(company_id)
      const asked_ms = performance.now()
      // Nobody waits any more for what has waited for so long: it gives its turn to what somebody does wait for.
      const look = async () =>
        performance.now() - asked_ms > LOOK_UPS.within_ms ? SLOW : of(url, company_id)
      return join(`${company} ${url.hostname}`, () => takeTurn(company, look))
    },
  }
}

type Allowed = Pick<Config, 'CALLBACK_ADDRESSES'> & Partial<Pick<Config, 'CALLBACK_HOSTS'>>

// Where a name leads is not said: it would show other people's networks.
const NOT_PUBLIC =
  'leads to an address that is not public; this server calls none (CALLBACK_ADDRESSES in docs/configuration.md)'
const NOT_LISTED =
  'is none of the hosts and ports that this server calls (CALLBACK_HOSTS in docs/configuration.md)'
const SLOW = { unknown: 'is slow' } as const

/**
 * Names that are looked up at once for those who give them, of all companies and of one: each is two questions to a name
 * server, which may take 6 s not to answer them. One check takes so long at most: the rest is looked at when it is
 * connected to.
 */
export const LOOK_UPS = { overall: 256, each: 16, within_ms: 3_000 }

/**
 * A check of a company's URLs for one request, however many it has: each host is looked up once, all of them within 3 s.
 * It resolves to why callbacks may not go there (a sentence without its subject), or to `undefined`. A name that has no
 * address now is accepted. It is looked at again at each connection, so this is for the person who gives it. To be
 * called outside of transactions.
 */
export function openUrlCheck(
  { addresses }: Needs,
  company_id: number,
): (url: string) => Promise<string | undefined> {
  const late = wait(LOOK_UPS.within_ms, SLOW, { ref: false })
  const checks = new Map<string, Promise<Found>>()
  return async (given) => {
    const url = new URL(given)
    const unlisted = addresses.unlisted(url)
    if (unlisted !== undefined) return unlisted
    const check = () => Promise.race([addresses.inTurn(url, company_id), late])
    const found = await checks.getOrInsertComputed(url.hostname, check)
    return 'refused' in found ? found.refused : undefined
  }
}

/** Refuses a URL to which the company's callbacks may not go: `invalid`, about `field`. For several, `openUrlCheck`. */
export async function refuseCallbackUrl(
  needs: Needs,
  company_id: number,
  url: string,
  field: 'callback_url' | 'url' = 'callback_url',
): Promise<void> {
  const why = await openUrlCheck(needs, company_id)(url)
  if (why !== undefined) throw new Refusal('invalid', `${field} ${why}.`, { fields: { [field]: why } })
}

type Needs = { addresses: Addresses }
