import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '#server/config.ts'
import { Refusal } from '#server/core/refusal.ts'
import { isPublic } from './ranges.ts'
import type { Resolve } from './resolving.ts'

/** Where callbacks may go (`CALLBACK_ADDRESSES`). */
export type Addresses = {
  /** Where the host of the URL lies at this moment: each address may be connected to, or none may. */
  of(url: URL): Promise<Found>
}

/** `refused` and `unknown` are sentences without their subject. */
export type Found = { addresses: readonly string[] } | { refused: string } | { unknown: string }

export function openAddresses(allowed: Config['CALLBACK_ADDRESSES'], resolve: Resolve): Addresses {
  return {
    async of(url) {
      const host = url.hostname.replace(/^\[|\]$|\.$/g, '')
      let addresses: readonly string[]
      if (isIP(host)) addresses = [host]
      // RFC 6761: never another machine, whatever a name server says.
      else if (host === 'localhost' || host.endsWith('.localhost')) addresses = ['127.0.0.1', '::1']
      else {
        try {
          addresses = await resolve(host)
        } catch (error) {
          return { unknown: `has no address now (${(error as NodeJS.ErrnoException).code ?? 'not found'})` }
        }
      }
      return allowed === 'any' || addresses.every(isPublic) ? { addresses } : { refused: NOT_PUBLIC }
    },
  }
}

// Where a name leads is not said: it would show other people's networks.
const NOT_PUBLIC =
  'leads to an address that is not public; this server calls none (CALLBACK_ADDRESSES in docs/configuration.md)'

/** Names that one check looks up in all take so long at most: the rest is looked at when it is connected to. */
const CHECK_MS = 3_000

/**
 * A check of URLs for one request, however many it has: each host is looked up once, all of them within 3 s. It
 * resolves to why callbacks may not go there (a sentence without its subject), or to `undefined`. A name that has no
 * address now is accepted. It is looked at again at each connection, so this is for the person who gives it. To be
 * called outside of transactions.
 */
export function openUrlCheck({ addresses }: Needs): (url: string) => Promise<string | undefined> {
  const late = wait(CHECK_MS, { unknown: 'is slow' } as const, { ref: false })
  const checks = new Map<string, Promise<Found>>()
  return async (given) => {
    const url = new URL(given)
    let check = checks.get(url.hostname)
    if (check === undefined) checks.set(url.hostname, (check = Promise.race([addresses.of(url), late])))
    const found = await check
    return 'refused' in found ? found.refused : undefined
  }
}

/** Refuses a URL to which callbacks may not go: `invalid`, about `field`. For several at once, `openUrlCheck`. */
export async function refuseCallbackUrl(
  needs: Needs,
  url: string,
  field: 'callback_url' | 'url' = 'callback_url',
): Promise<void> {
  const why = await openUrlCheck(needs)(url)
  if (why !== undefined) throw new Refusal('invalid', `${field} ${why}.`, { fields: { [field]: why } })
}

type Needs = { addresses: Addresses }
