import { forgetTries, fromAddress } from '#server/accounts/passwords/failures.ts'
import type { Hashing } from '#server/accounts/passwords/hashing.ts'
import type { Passwords } from '#server/accounts/passwords/passwords.ts'
import { hashInTurn } from '#server/accounts/passwords/trying.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { KeyHolder } from '#server/core/context.ts'
import { randomText } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import { hasExpired, holderOf } from './authenticating.ts'
import { apiKeyStore, keyLookup } from './store.ts'

type Needs = { db: Database; clock: Clock; hashing: Hashing; passwords: Passwords }

/** Without characters that people confuse. */
const CHARACTERS = 'abcdefghijkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY2346789'
const SMALL = 'abcdefghijkmnpqrstuvwxyz2346789'
/** SMPP allows 15 characters for a `system_id`, and 8 for a password. */
const SYSTEM_ID = /^sdd[a-z0-9]{12}$/
const PASSWORD_LENGTH = 8
/** Wrong passwords of a `system_id` within 15 minutes. */
const MOST_WRONG = 10
const MOST_WRONG_OF_ADDRESS = 50

export function newSmppLogin(): { system_id: string; password: string } {
  return { system_id: `sdd${randomText(SMALL, 12)}`, password: randomText(CHARACTERS, PASSWORD_LENGTH) }
}

export function isSmppLogin(system_id: string, password: string): boolean {
  return SYSTEM_ID.test(system_id) && password.length <= PASSWORD_LENGTH
}

/** The holder of the key with this login; `undefined` if it is wrong. `too_many_attempts`, `busy`. */
export function holderOfSmppLogin(
  needs: Needs,
  { system_id, password }: { system_id: string; password: string },
  address: string,
): Promise<KeyHolder | undefined> {
  const { db, clock, passwords } = needs
  const user = `smpp ${system_id}`
  const subjects = [{ name: user, most: MOST_WRONG }, ...fromAddress('login', address, MOST_WRONG_OF_ADDRESS)]
  return hashInTurn(needs, { user, address, subjects }, async (tries) => {
    const key = await keyLookup(db.read).bySystemId(system_id)
    const right = await passwords.isRight(password, key?.smpp_password_hash ?? undefined)
    const now = instant(clock.now())
    if (key === undefined || !right || hasExpired(key, now)) return undefined
    const holder = holderOf(key)
    const { api_key_id, company_id } = holder
    await db.write(async (tx) => {
      await forgetTries(tx, tries)
      const use = { last_used_at: now, last_used_from: address }
      await apiKeyStore(tx, { company_id }).update(api_key_id, use)
    })
    return holder
  })
}
