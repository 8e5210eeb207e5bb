import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '#server/core/config.ts'
import { hostOf, listsHost } from '#server/core/hosts.ts'
import { openCoalescing } from '#server/core/coalescing.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { openFairTurns } from '#server/outward/callbacks/fair-turns.ts'
import { isPublic } from './ranges.ts'
import type { Resolve } from './resolving.ts'

/** The addresses that callbacks may use (`CALLBACK_ADDRESSES`, `CALLBACK_HOSTS`). */
export type Addresses = {
  /** Why callbacks may not go to this host and port, whatever its addresses; `undefined` if they may. */
  unlisted(url: URL): string | undefined
  /** The present addresses of the URL's host, for this company. Either all of them may be used or none. */
  of(url: URL, company_id: number): Promise<ResolvedAddresses>
  /** The same for a person or program that enters a URL: companies take turns, and so do the URLs of one company. */
  inTurn(url: URL, company_id: number): Promise<ResolvedAddresses>
}

/** `refused` and `unknown` are sentences without their subject. */
type ResolvedAddresses = { addresses: readonly string[] } | { refused: string } | { unknown: string }

export function openAddresses({ CALLBACK_ADDRESSES, CALLBACK_HOSTS }: Allowed, resolve: Resolve): Addresses {
  const takeTurn = openFairTurns(LOOK_UPS)
  const join = openCoalescing<ResolvedAddresses>()

  const unlisted = (url: URL) =>
    CALLBACK_HOSTS === undefined || listsHost(CALLBACK_HOSTS, url) ? undefined : NOT_LISTED

  async function of(url: URL, company_id: number): Promise<ResolvedAddresses> {
    const refused = unlisted(url)
    if (refused !== undefined) return { refused }
    const host = hostOf(url)
    let addresses: readonly string[]
    if (isIP(host)) addresses = [host]
    // RFC 6761: never another machine, whatever a name server answers.
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
      // After this long its caller has stopped waiting, so it leaves its turn to others.
      const look = async () =>
        performance.now() - asked_ms > LOOK_UPS.within_ms ? SLOW : of(url, company_id)
      return join(`${company} ${url.hostname}`, () => takeTurn(company, look))
    },
  }
}

type Allowed = Pick<Config, 'CALLBACK_ADDRESSES'> & Partial<Pick<Config, 'CALLBACK_HOSTS'>>

// The message does not contain the address, as it would reveal other people's networks.
export const NOT_PUBLIC =
  'leads to an address that is not public; this server calls none (CALLBACK_ADDRESSES in docs/configuration.md)'
export const NOT_LISTED =
  'is none of the hosts and ports that this server calls (CALLBACK_HOSTS in docs/configuration.md)'
const SLOW = { unknown: 'is slow' } as const

/**
 * Look-ups of entered URLs that run at once, in all and for each company. Each look-up is two queries to a name server,
 * which may take 6 s to time out. One check waits at most `within_ms`; later addresses are checked when a callback
 * connects.
 */
export const LOOK_UPS = { overall: 256, each: 16, within_ms: 3_000 }

/**
 * Makes a check of a company's URLs for one request with any number of URLs. Each host is looked up once, and all
 * together take at most 3 s.
 * The check resolves to the reason why callbacks may not go to a URL (a sentence without its subject), or `undefined`.
 * A name without an address now is accepted, because each connection checks it again: this check is for the person who
 * enters the URL. Call it outside of transactions.
 */
export function openUrlCheck(
  { addresses }: Needs,
  company_id: number,
): (url: string) => Promise<string | undefined> {
  const late = wait(LOOK_UPS.within_ms, SLOW, { ref: false })
  const checks = new Map<string, Promise<ResolvedAddresses>>()
  return async (given) => {
    const url = new URL(given)
    const unlisted = addresses.unlisted(url)
    if (unlisted !== undefined) return unlisted
    const check = () => Promise.race([addresses.inTurn(url, company_id), late])
    const found = await checks.getOrInsertComputed(url.hostname, check)
    return 'refused' in found ? found.refused : undefined
  }
}

/** Refuses a URL that callbacks may not use: `invalid`, about `field`. For several URLs, use `openUrlCheck`. */
export async function refuseCallbackUrl(
  needs: Needs,
  company_id: number,
  url: string,
  field: 'callback_url' | 'url' = 'callback_url',
): Promise<void> {
  const why = await openUrlCheck(needs, company_id)(url)
  if (why === undefined) return
  throw invalidField(field, why, 'address_refused', {})
}

type Needs = { addresses: Addresses }
