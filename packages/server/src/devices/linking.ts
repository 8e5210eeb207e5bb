import { randomInt } from 'node:crypto'
import type { LinkCode, LinkedDevice, LinkRequest, NewLinkCode } from '@sdd/contract/devices.ts'
import { forgive, fromAddress, noteTry } from '#server/auth/failures.ts'
import { type Actor, recordChange } from '#server/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import { hashSecret, newSecret } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/live/live.ts'
import type { DeviceLinks } from './devices.ts'
import { deviceStore, linkCodeStore } from './store.ts'

type Needs = { db: Database; clock: Clock; live: Live }
type Links = { broker: Pick<DeviceLinks, 'requireReach' | 'giveSecret'> }

/** No letters or digits that are taken for one another; ten of them are 50 bits. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** SMS parts a day until somebody says otherwise. */
const FIRST_DAILY_LIMIT = 100

/** A code with which devices join the caller's company. */
export async function createLinkCode(
  { db, clock, live }: Needs,
  caller: Caller,
  { uses, expires_in_secs }: NewLinkCode,
): Promise<LinkCode> {
  const letters = randomText(10)
  const code = `${letters.slice(0, 5)}-${letters.slice(5)}`
  const now = clock.now()
  const expires_at = instant(now + expires_in_secs * 1000)
  const { company_id } = caller
  await db.write(async (tx) => {
    const codes = linkCodeStore(tx)
    await codes.removeExpired(instant(now))
    await codes.insert({
      company_id,
      code_hash: hashSecret(normalised(code)),
      hint: hintOf(code),
      uses,
      uses_left: uses,
      created_by: caller.user_id,
      created_at: instant(now),
      expires_at,
    })
    const name = nameOf({ hint: hintOf(code), uses, expires_at })
    await recordChange(tx, clock, caller, { company_id, action: 'link_code.created', name })
  })
  live.changed(company_id, 'audit')
  return { code, uses, expires_at }
}

/**
 * Joins a device to the company of the code and returns its secret, which nothing shows again. Spends one use, or
 * none where it refuses: `link_code_refused` (and after 20 of those in 15 minutes from one address
 * `too_many_attempts`), `uid_taken`, `not_ready` where the devices' broker does not take it.
 */
export async function linkDevice(
  { db, clock, live, broker }: Needs & Links,
  { code, uid, location }: LinkRequest,
  address: string,
): Promise<Pick<LinkedDevice, 'uid' | 'secret'>> {
  broker.requireReach()
  const secret = newSecret('sdd_')
  const now_ms = clock.now()
  const now = instant(now_ms)
  // A refused code is a row, so this write does not throw: it would undo the row.
  const outcome = await db.write(async (tx) => {
    const tries = await noteTry(tx, fromAddress('link', address, 20), now_ms)
    const found = await linkCodeStore(tx).usable(hashSecret(normalised(code)), now)
    if (found === undefined) return 'refused'
    await forgive(tx, tries)
    const name = uid ?? (await freeUid(tx))
    if (await deviceStore(tx, 'all').byUid(name)) return 'taken'
    await linkCodeStore(tx).spend(found.id)
    const { id } = await deviceStore(tx, 'all').insert({
      company_id: found.company_id,
      uid: name,
      secret_hash: hashSecret(secret),
      location: location ?? null,
      created_at: now,
      enabled: 1,
      enabled_at: now,
      max_sms_dayly: FIRST_DAILY_LIMIT,
      status: 'disconnected',
      status_at: now,
    })
    const { company_id, created_by: user_id, by } = found
    await recordChange(
      tx,
      clock,
      { user_id, name: by, address },
      { company_id, action: 'device.linked', name },
    )
    return { id, name, company_id, code_id: found.id, by: { user_id, name: by, address } }
  })
  if (outcome === 'refused') {
    throw new Refusal(
      'link_code_refused',
      'This link code is unknown, expired or used up. Ask an admin for a new one.',
    )
  }
  if (outcome === 'taken') {
    throw new Refusal(
      'uid_taken',
      `A device ${uid} is linked already. Choose another uid, or unlink that one first.`,
    )
  }
  try {
    await broker.giveSecret(outcome.name, secret)
  } catch (error) {
    await undoLink({ db, clock }, outcome, now)
    throw error
  }
  live.changed(outcome.company_id, 'devices', 'settings', 'audit')
  return { uid: outcome.name, secret }
}

type Linked = { id: number; name: string; company_id: number; code_id: number; by: Actor }

/** Where the broker does not take the device, nothing is left half done. */
async function undoLink(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  { id, name, company_id, code_id, by }: Linked,
  now: string,
): Promise<void> {
  await db.write(async (tx) => {
    await recordChange(tx, clock, by, { company_id, action: 'device.unlinked', name })
    await deviceStore(tx, 'all').update(id, { unlinked_at: now })
    await linkCodeStore(tx).giveBack(code_id)
  })
}

async function freeUid(tx: Tx): Promise<string> {
  for (;;) {
    const uid = `drone-${randomText(6).toLowerCase()}`
    if ((await deviceStore(tx, 'all').byUid(uid)) === undefined) return uid
  }
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** Of a code that is shown, to tell codes apart. */
function hintOf(code: string): string {
  return code.slice(0, 4)
}

/** How the audit log names a code: who knows it whole may join. */
function nameOf({ hint, uses, expires_at }: { hint: string; uses: number; expires_at: string }): string {
  return `${hint}… for ${uses} ${uses === 1 ? 'device' : 'devices'} until ${expires_at}`
}

/** People type codes in small letters, with blanks, or without the dash. */
function normalised(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '')
}
