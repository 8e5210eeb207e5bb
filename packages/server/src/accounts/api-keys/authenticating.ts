import type { KeyPermission } from '@sdd/contract/accounts/api-keys.ts'
import { messageClasses, type MessageClass } from '@sdd/contract/core/fields.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { KeyHolder } from '#server/core/context.ts'
import { unlessRefused } from '#server/core/refusal.ts'
import { hashSecret } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import type { Peers } from '#server/core/replicas/replicas.ts'
import { type ApiKeyRow, apiKeyStore, keyLookup } from './store.ts'

/** Finds the holders of API keys. */
export type Keys = {
  /** `undefined` if the token is not a key, or a key that may no longer be used. `address` is the caller's. */
  authenticate(token: string, address: string): KeyHolder | Promise<KeyHolder | undefined>
  /** Call when a key was revoked or rotated: each server drops every key that it remembers. */
  forget(): void
}

/** `last_used_at` is accurate to a minute: an update for each request would cost a commit for each request. */
const USE_MS = 60_000
/** A key revoked or rotated by another server stops working within this time, even if the message is lost. */
const REMEMBER_MS = 1_000
/** The number of keys to remember, by their hashes. */
const MOST = 1_000

type Known = { caller: KeyHolder; expires_at_ms: number; last_used_ms: number; until_ms: number }

/**
 * Remembers a key for a second, so that thousands of requests do not cost a lookup each. A revoked or expired key is
 * refused at once. So is the previous key of a rotation once its overlap ends.
 */
export function openKeys(needs: {
  db: Database
  clock: Clock
  live: Live
  peers: Pick<Peers, 'tell' | 'hear'>
}): Keys {
  const { db, clock, live, peers } = needs
  const known = new Map<string, Known>()
  /** The latest token, as a program repeats the same one. It is kept as plain text for a second at most. */
  let latest: { token: string; key_hash: string } | undefined
  let forgotten = 0

  function hashOf(token: string): string {
    if (latest?.token === token) return latest.key_hash
    if (latest === undefined) setTimeout(() => (latest = undefined), REMEMBER_MS).unref()
    latest = { token, key_hash: hashSecret(token) }
    return latest.key_hash
  }

  async function lookUp(key_hash: string): Promise<Known | undefined> {
    const [before, asked_ms] = [forgotten, performance.now()]
    const key = await keyLookup(db.read).byHash(key_hash)
    if (key === undefined) return undefined
    const { expires_at, last_used_at } = key
    const found: Known = {
      caller: holderOf(key),
      expires_at_ms: expires_at === null ? Infinity : Date.parse(expires_at),
      last_used_ms: last_used_at === null ? -Infinity : Date.parse(last_used_at),
      until_ms: asked_ms + REMEMBER_MS,
    }
    if (known.size >= MOST) known.clear()
    // A read that overlapped a revocation or rotation may have returned the old state.
    if (before === forgotten) known.set(key_hash, found)
    return found
  }

  async function look(key_hash: string, address: string): Promise<KeyHolder | undefined> {
    const key = await lookUp(key_hash)
    const now_ms = clock.now()
    if (key === undefined || key.expires_at_ms <= now_ms) return undefined
    if (now_ms - key.last_used_ms >= USE_MS) await noteUse(key, now_ms, address)
    return key.caller
  }

  async function noteUse(key: Known, now_ms: number, last_used_from: string): Promise<void> {
    key.last_used_ms = now_ms
    const { company_id, api_key_id } = key.caller
    const use = { last_used_at: instant(now_ms), last_used_from }
    const noted = db.write((tx) => apiKeyStore(tx, { company_id }).update(api_key_id, use))
    await noted.then(() => live.changed(company_id, 'api_keys'), unlessRefused)
  }

  function forgetHere(): void {
    forgotten++
    known.clear()
  }
  peers.hear({ revoked: forgetHere })

  return {
    authenticate(token, address) {
      const key_hash = hashOf(token)
      const key = known.get(key_hash)
      const now_ms = clock.now()
      const fresh = key !== undefined && performance.now() < key.until_ms
      if (fresh && now_ms < key.expires_at_ms && now_ms - key.last_used_ms < USE_MS) return key.caller
      return look(key_hash, address)
    },
    forget() {
      forgetHere()
      peers.tell('revoked')
    },
  }
}

/** Whether the key may be used now. Unlike `authenticate`, this is no use of it. */
export async function isUsableKey(tx: Tx, token: string, now: string): Promise<boolean> {
  const key = await keyLookup(tx).byHash(hashSecret(token))
  return key !== undefined && !hasExpired(key, now)
}

/** The holder of a key that may be used now, found by its id. */
export async function keyHolderById(
  tx: Tx,
  company_id: number,
  api_key_id: number,
  now: string,
): Promise<KeyHolder | undefined> {
  const key = await apiKeyStore(tx, { company_id }).byId(api_key_id)
  return key === undefined || hasExpired(key, now) ? undefined : holderOf(key)
}

export function hasExpired({ expires_at }: Pick<ApiKeyRow, 'expires_at'>, now: string): boolean {
  return expires_at !== null && expires_at <= now
}

export function holderOf(key: Pick<ApiKeyRow, 'id' | 'company_id' | 'name' | 'may' | 'classes'>): KeyHolder {
  const { id: api_key_id, company_id, name } = key
  const rights = { may: readMay(key.may), classes: readClasses(key.classes) }
  return { api_key_id, name, ...rights, company_id, scope: { company_id } }
}

export function readMay(json: string): KeyPermission[] {
  return JSON.parse(json) as KeyPermission[]
}

export function readClasses(json: string | null): readonly MessageClass[] {
  return json === null ? messageClasses : (JSON.parse(json) as MessageClass[])
}
