import type { LinkedDevice, LinkRequest } from '@sdd/contract/fleet/devices.ts'
import { forgetTries, fromAddress, countTry } from '#server/accounts/passwords/failures.ts'
import type { Hashing } from '#server/accounts/passwords/hashing.ts'
import { unlessThrottled } from '#server/accounts/passwords/trying.ts'
import { type Actor, recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import { hashSecret, newSecret, randomText } from '#server/core/secrets.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { requireQuota } from '#server/accounts/quotas/enforcing.ts'
import { settingsOf } from '#server/accounts/settings/settings.ts'
import type { DeviceLinks } from '#server/fleet/devices/devices.ts'
import { CLEAR_CHARACTERS, hashOfCode } from './link-codes.ts'
import { linkCodeStore } from './store.ts'
import { presenceHistory } from '#server/fleet/devices/presence.store.ts'
import { deviceStore } from '#server/fleet/devices/store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  hashing: Pick<Hashing, 'pace'>
  securityLog: SecurityLog
}
type Links = { broker: Pick<DeviceLinks, 'requireReach' | 'giveSecret'> }

/** The daily limit in SMS parts until somebody changes it. */
const FIRST_DAILY_LIMIT = 100

/**
 * Links a device to the company of the code and returns its secret, which is never shown again. A setting of the
 * company decides whether the device is enabled.
 * Uses the code once, unless it refuses: `link_code_refused`, `uid_taken`, `quota_reached`, or `not_ready` if the
 * devices' broker does not accept the device. `too_many_attempts` after 20 refused codes from one address within 15
 * minutes.
 */
export async function linkDevice(
  needs: Needs & Links,
  { code, uid, location }: LinkRequest,
  address: string,
): Promise<Pick<LinkedDevice, 'uid' | 'secret'>> {
  const { db, clock, live, broker, securityLog } = needs
  broker.requireReach(uid)
  const secret = newSecret('sdd_')
  const now_ms = clock.now()
  const now = instant(now_ms)
  const subjects = fromAddress('link', address, 20)
  // A refused code inserts a row. This write must not throw, because that would roll the row back.
  const link = async (tx: Tx) => {
    const tries = await countTry(tx, subjects, now_ms)
    const found = await linkCodeStore(tx, 'all').byHash(hashOfCode(code), now)
    if (found === undefined) return 'refused'
    await forgetTries(tx, tries)
    const name = uid ?? (await freeUid(tx))
    if (await deviceStore(tx, 'all').byUid(name)) return 'taken'
    await requireQuota(tx, found.company_id, 'devices', now)
    await linkCodeStore(tx, 'all').spend(found.id)
    const { company_id, created_by: user_id } = found
    const { new_devices_enabled } = await settingsOf(tx, 'all', company_id)
    const id = await deviceStore(tx, 'all').insert({
      company_id,
      uid: name,
      secret_hash: hashSecret(secret),
      location: location ?? null,
      created_at: now,
      enabled: new_devices_enabled,
      enabled_at: now,
      max_sms_dayly: FIRST_DAILY_LIMIT,
      status: 'disconnected',
      status_at: now,
    })
    await presenceHistory(tx).note(id, 'disconnected', now)
    const by = { user_id, name: found.by, address }
    const changes = {
      link_code: { from: null, to: `${found.hint}…` },
      enabled: { from: null, to: new_devices_enabled === 1 },
    }
    await recordChange(tx, clock, by, { company_id, action: 'device.linked', name, changes })
    return { id, name, company_id, code_id: found.id, by }
  }
  const outcome = await unlessThrottled(needs, subjects, () => db.write(link))
  if (outcome === 'refused') {
    securityLog('link.refused', { address })
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
    live.changed(outcome.company_id, 'devices', 'settings', 'audit')
    throw error
  }
  securityLog('link.accepted', { address, company_id: outcome.company_id, uid: outcome.name })
  live.changed(outcome.company_id, 'devices', 'settings', 'audit')
  return { uid: outcome.name, secret }
}

type Linked = { id: number; name: string; company_id: number; code_id: number; by: Actor }

/** Reverts the link if the broker does not accept the device. */
async function undoLink(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  { id, name, company_id, code_id, by }: Linked,
  now: string,
): Promise<void> {
  await db.write(async (tx) => {
    await recordChange(tx, clock, by, { company_id, action: 'device.unlinked', name })
    await deviceStore(tx, 'all').update(id, { unlinked_at: now })
    await linkCodeStore(tx, 'all').giveBack(code_id)
  })
}

async function freeUid(tx: Tx): Promise<string> {
  for (;;) {
    const uid = `drone-${randomText(CLEAR_CHARACTERS, 6).toLowerCase()}`
    if ((await deviceStore(tx, 'all').byUid(uid)) === undefined) return uid
  }
}
