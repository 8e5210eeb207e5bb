import type { KeyPermission } from '@sdd/contract/accounts/api-keys.ts'
import { isUsableKey, keyHolderById, type Keys } from '#server/accounts/api-keys/authenticating.ts'
import { holderOfSmppLogin } from '#server/accounts/api-keys/smpp-login.ts'
import { fromAddress, refuseThrottled } from '#server/accounts/passwords/failures.ts'
import { tryCounted } from '#server/accounts/passwords/trying.ts'
import { networkOf } from '#server/core/address.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Config } from '#server/core/config.ts'
import type { KeyCaller, KeyHolder, NeedsOf } from '#server/core/context.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import { DoorFault } from './refusals.ts'

type Needs = NeedsOf<typeof holderOfSmppLogin> & {
  db: Database
  clock: Clock
  keys: Pick<Keys, 'authenticate'>
  securityLog: SecurityLog
  config: Pick<Config, 'DOORS_RATE'>
}

/** Lets programs in by their API key, at all doors. */
export type Entry = {
  /** The holder of the key, which must have one of the permissions. Refuses with `key`, or with the code `too_many_attempts`. */
  admit(key: string, address: string, ...may: readonly KeyPermission[]): Promise<KeyCaller>
  /** The same by a key's short login for SMPP. */
  admitSmpp(
    login: { system_id: string; password: string },
    address: string,
    ...may: readonly KeyPermission[]
  ): Promise<KeyCaller>
  /** Counts messages of a key. Refuses with `too_fast` beyond `DOORS_RATE`. */
  countMessages(caller: KeyCaller, messages: number): void
  /**
   * Calls `end` once the key may no longer be used, within 5 s. It is named by itself or, with a short login, by its
   * holder. Returns a function that stops watching.
   */
  watch(key: string | KeyHolder, end: () => void): () => void
}

/** Wrong keys of an address within 15 minutes, its wrong passwords included. */
const MOST_WRONG = 50
/** An address that was not throttled is not looked at again for this long, so that a request costs no query. */
const LOOK_MS = 1_000
/** Open connections outlive their revoked key by no longer than this. */
const WATCH_MS = 2_000
const MOST_ADDRESSES = 10_000

export function openEntry(needs: Needs): Entry {
  const { db, clock, keys, securityLog, config } = needs
  /** By network: when it was last found not to be throttled. */
  const looked = new Map<string, number>()
  const take = openRate(config.DOORS_RATE)
  const watched = new Set<{ key: string | KeyHolder; end: () => void }>()
  let watching: NodeJS.Timeout | undefined

  async function refuseLocked(address: string): Promise<void> {
    const network = networkOf(address)
    const now = performance.now()
    if (now - (looked.get(network) ?? -Infinity) < LOOK_MS) return
    await refuseThrottled(db.read, fromAddress('login', address, MOST_WRONG), clock.now())
    if (looked.size >= MOST_ADDRESSES) looked.clear()
    looked.set(network, now)
  }

  async function refuseWrong(address: string): Promise<never> {
    const subjects = fromAddress('login', address, MOST_WRONG)
    looked.delete(networkOf(address))
    await tryCounted(needs, subjects)
    securityLog('login.failed', { address, method: 'door' })
    throw new DoorFault('key')
  }

  async function endWrong(): Promise<void> {
    const now = instant(clock.now())
    const known = new Map<string | number, Promise<boolean>>()
    for (const one of watched) {
      const { key } = one
      const name = typeof key === 'string' ? key : key.api_key_id
      const usable = known.getOrInsertComputed(name, () => isUsable(key, now))
      if (!(await usable.catch(() => true)) && watched.delete(one)) one.end()
    }
    watching = watched.size > 0 ? setTimeout(() => void endWrong(), WATCH_MS).unref() : undefined
  }

  async function isUsable(key: string | KeyHolder, now: string): Promise<boolean> {
    if (typeof key === 'string') return isUsableKey(db.read, key, now)
    return (await keyHolderById(db.read, key.company_id, key.api_key_id, now)) !== undefined
  }

  function callerOf(holder: KeyHolder, address: string, may: readonly KeyPermission[]): KeyCaller {
    if (may.some((one) => holder.may.includes(one))) return { ...holder, address }
    const { api_key_id } = holder
    const route = may.join()
    securityLog('call.refused', { address, api_key_id, method: 'door', route, code: 'forbidden' })
    throw new DoorFault('key')
  }

  return {
    async admitSmpp(login, address, ...may) {
      const holder = await holderOfSmppLogin(needs, login, address)
      if (holder) return callerOf(holder, address, may)
      looked.delete(networkOf(address))
      securityLog('login.failed', { address, method: 'door' })
      throw new DoorFault('key')
    },
    watch(key, end) {
      const one = { key, end }
      watched.add(one)
      watching ??= setTimeout(() => void endWrong(), WATCH_MS).unref()
      return () => void watched.delete(one)
    },
    async admit(key, address, ...may) {
      await refuseLocked(address)
      const holder = key.startsWith('sdk_') ? await keys.authenticate(key, address) : undefined
      if (holder === undefined) return refuseWrong(address)
      return callerOf(holder, address, may)
    },
    countMessages({ api_key_id }, messages) {
      if (!take(api_key_id, messages)) throw new DoorFault('too_fast')
    },
  }
}

/**
 * A token bucket per key that holds one second's messages. A request may overdraw a full bucket, because otherwise one
 * with more messages than that could never be taken.
 */
function openRate(rate: Config['DOORS_RATE']): (api_key_id: number, messages: number) => boolean {
  if (rate === 'off') return () => true
  const buckets = new Map<number, { left: number; at_ms: number }>()
  return (api_key_id, messages) => {
    const now_ms = performance.now()
    const bucket = buckets.getOrInsertComputed(api_key_id, () => ({ left: rate, at_ms: now_ms }))
    bucket.left = Math.min(rate, bucket.left + ((now_ms - bucket.at_ms) / 1_000) * rate)
    bucket.at_ms = now_ms
    if (bucket.left < Math.min(messages, rate)) return false
    bucket.left -= messages
    return true
  }
}
