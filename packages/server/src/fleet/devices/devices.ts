import type { Country } from '@sdd/contract/core/countries.ts'
import { Uid } from '@sdd/contract/core/fields.ts'
import type { Ability } from '@sdd/contract/fleet/orders.ts'
import type { Device, Networks, NetworkSim } from '@sdd/contract/fleet/devices.ts'
import { recordChange, SECRET_CHANGED } from '#server/accounts/audit/audit.ts'
import { openLookUps } from '#server/core/look-ups.ts'
import { type Clock, instant, type Now, nowOf } from '#server/core/clock.ts'
import type { Caller, Scope } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import { hashSecret, isSecret, newSecret } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { quarantineFieldsOf } from './quarantine.ts'
import { nextSlot, sentOn } from './capacity.ts'
import { maintainedUntil } from './maintenance.ts'
import { changeCapacity, holdCapacity } from './capacity.store.ts'
import { simCountry } from './sim-numbers.ts'
import { presenceHistory } from './presence.store.ts'
import { networksIn, simsIn } from './stored-networks.ts'
import { type DeviceRow, deviceStore, DISCONNECTED, type ListedDevice, WITHOUT_FAILURES } from './store.ts'

export type { DeviceRow }

type Needs = { db: Database; live: Live; clock: Clock; wake(): void; broker: DeviceLinks }

/** The functions of the broker that the rules of devices need. */
export type DeviceLinks = {
  /**
   * Throws `not_ready` if the broker must learn new secrets but cannot be reached now, and `uid_taken` if the uid is the
   * client id of a server there.
   */
  requireReach(uid: string | undefined): void
  /** Resolves once the device may connect with this secret. */
  giveSecret(uid: string, secret: string): Promise<void>
  /** Ends the device's connection. Its old secrets no longer work. */
  disconnectDevice(uid: string): void
  /** When its current connection last sent anything, in ms; `undefined` if it has none. */
  lastSeen(uid: string): number | undefined
}

/** A linked device of the scope, or `unknown_device`. */
export async function requireDevice(tx: Tx, scope: Scope, uid: string): Promise<DeviceRow> {
  const device = await deviceStore(tx, scope).byUid(uid)
  if (device === undefined) throw unknownDevice(uid)
  return device
}

/** The same with all that people read about it. In a write it is locked until the commit. */
export async function requireListed(tx: Tx, scope: Scope, uid: string): Promise<ListedDevice> {
  const [device] = Uid.safeParse(uid).success ? await deviceStore(tx, scope).listedByUids([uid]) : []
  if (device === undefined) throw unknownDevice(uid)
  return device
}

/** Linked devices by id. */
export async function devicesById(tx: Tx, ids: readonly number[]): Promise<Map<number, DeviceRow>> {
  const rows = ids.length === 0 ? [] : await deviceStore(tx, 'all').byIds(ids)
  return new Map(rows.map((row) => [row.id, row]))
}

/** What the device can do. */
export function abilitiesOf({ abilities }: Pick<ListedDevice, 'abilities'>): Ability[] {
  return JSON.parse(abilities ?? '[]') as Ability[]
}

export function unknownDevice(uid: string): Refusal {
  return new Refusal('unknown_device', `There is no device ${JSON.stringify(uid.slice(0, 64))}.`)
}

/** The devices of the scope, oldest first. */
export async function listDevices(
  { db, clock, broker }: Pick<Needs, 'db' | 'clock'> & { broker: Pick<DeviceLinks, 'lastSeen'> },
  scope: Scope,
): Promise<Device[]> {
  const rows = await deviceStore(db.readInWorker, scope).list()
  const at = nowOf(clock)
  return rows.map((row) => asDevice(row, seenAt(clock, broker, row.uid), at))
}

/** One device of the scope. `unknown_device` if there is none. */
export async function readListedDevice(
  { db, clock, broker }: { db: Pick<Database, 'read'>; clock: Clock; broker: Pick<DeviceLinks, 'lastSeen'> },
  scope: Scope,
  uid: string,
): Promise<Device & { abilities: Ability[] }> {
  const row = await requireListed(db.read, scope, uid)
  return { ...asDevice(row, seenAt(clock, broker, uid), nowOf(clock)), abilities: abilitiesOf(row) }
}

/** A device as the API answers it. `seen` is when it last sent anything to this server. */
export function asDevice(row: ListedDevice, seen: string | undefined, { now_ms, now, day }: Now): Device {
  return {
    id: row.id,
    company_id: row.company_id,
    uid: row.uid,
    status: row.status,
    name: row.name,
    location: row.location,
    note: row.note,
    tags: JSON.parse(row.tags) as string[],
    created_at: row.created_at,
    enabled: row.enabled === 1,
    max_sms_dayly: row.max_sms_dayly,
    last_seen_at: later(row.last_seen_at, seen, now),
    sent_today: sentOn(row, day),
    queued: row.queued + row.sticky,
    carrier: row.carrier,
    signal: JSON.parse(row.signal ?? 'null') as Device['signal'],
    sim_ids: JSON.parse(row.sim_ids ?? '[]') as string[],
    agent: row.agent,
    radio: row.radio_says === null ? null : { ready: row.radio_ready === 1, says: row.radio_says },
    maintenance_until: maintainedUntil(row, now) ?? null,
    quarantined_until: row.quarantined_until,
    ...quarantineFieldsOf(row.quarantine_reason),
    ...slowedLately(row.inbox_slowed_at, now_ms),
  }
}

/** Older events say nothing about the device's present state. */
const LATELY_MS = 3_600_000

function slowedLately(inbox_slowed_at: string | null, now_ms: number): Pick<Device, 'inbox_slowed_at'> {
  const lately = inbox_slowed_at !== null && Date.parse(inbox_slowed_at) > now_ms - LATELY_MS
  return lately ? { inbox_slowed_at } : {}
}

/** The device sends received SMS faster than the server accepts them. The device list shows this to operators. */
export async function noteInboxSlowed(
  { db, clock, live }: Pick<Needs, 'db' | 'clock' | 'live'>,
  { device_id, company_id }: { device_id: number; company_id: number },
): Promise<void> {
  const inbox_slowed_at = instant(clock.now())
  await db.write((tx) => deviceStore(tx, 'all').update(device_id, { inbox_slowed_at }))
  live.changed(company_id, 'devices')
}

/**
 * The later of the two times, as another server may have heard from the device since. A stored time in the future
 * predates a clock change.
 */
function later(noted: string | null, seen: string | undefined, now: string): string | null {
  return seen === undefined || (noted !== null && noted > seen && noted <= now) ? noted : seen
}

/** When the device last sent anything to this server, by the server's clock. The broker uses the machine's clock. */
export function seenAt(clock: Clock, broker: Pick<DeviceLinks, 'lastSeen'>, uid: string): string | undefined {
  const seen_ms = broker.lastSeen(uid)
  return seen_ms === undefined ? undefined : instant(clock.now() - (Date.now() - seen_ms))
}

/** The latest snapshot that the device published. Both parts are null before the first. */
export async function readNetworks(
  { db }: { db: Pick<Database, 'read'> },
  scope: Scope,
  uid: string,
): Promise<Networks> {
  await requireDevice(db.read, scope, uid)
  const row = await deviceStore(db.read, scope).networks(uid)
  return networksIn(row?.networks)
}

/** The country of the SIM that received an SMS; `undefined` if the device's networks do not tell it. */
export async function countryOfSim(
  tx: Tx,
  uid: string,
  sim: string | number | null | undefined,
): Promise<Country | undefined> {
  return simCountry(await namedSims(tx, uid), sim)
}

/** The SIMs that the device named last. */
export async function namedSims(tx: Tx, uid: string): Promise<readonly NetworkSim[]> {
  return simsIn((await deviceStore(tx, 'all').networks(uid))?.networks)
}

/** Allows or forbids giving messages to a device. It stays connected either way. */
export async function setEnabled(
  { db, live, clock, wake }: Needs,
  caller: Caller,
  uid: string,
  enabled: boolean,
): Promise<{ uid: string; enabled: boolean }> {
  const device = await db.write(async (tx) => {
    const device = await requireDevice(tx, caller.scope, uid)
    const was = device.enabled === 1
    if (!enabled) await holdCapacity(tx, [device.id])
    if (was !== enabled) {
      const enabled_at = instant(clock.now())
      await deviceStore(tx, caller.scope).update(device.id, { ...enabling(enabled), enabled_at })
    }
    await recordChange(tx, clock, caller, {
      company_id: device.company_id,
      action: enabled ? 'device.enabled' : 'device.disabled',
      name: uid,
      changes: { enabled: { from: was, to: enabled } },
    })
    return device
  })
  live.changed(device.company_id, 'devices', 'audit')
  wake()
  return { uid, enabled }
}

/** A person who enables a device has looked at it, so its record of failures starts again. */
export function enabling(enabled: boolean) {
  return enabled ? ({ enabled: 1, ...WITHOUT_FAILURES } as const) : ({ enabled: 0 } as const)
}

/** Moves the pacing slots of a company's devices after a change of `spoof_time_secs`. */
export async function movePacingSlots(tx: Tx, company_id: number, spoof_time_secs: number, now_ms: number) {
  const devices = deviceStore(tx, { company_id })
  // A longer pace matters only to devices that sent within it, a shorter one only to slots that are still closed.
  for (const { id, last_given_at } of await devices.givenSince(company_id, instant(now_ms - 86_400_000))) {
    await changeCapacity(tx, id, { next_slot_at: nextSlot(last_given_at!, spoof_time_secs) })
  }
}

/** Makes a new secret, shown only this once. The old one stops working and its connection is cut. */
export async function renewSecret(
  { db, clock, live, broker }: Pick<Needs, 'db' | 'clock' | 'live' | 'broker'>,
  caller: Caller,
  uid: string,
): Promise<{ uid: string; secret: string }> {
  broker.requireReach(uid)
  const secret = newSecret('sdd_')
  const { company_id, status, connection } = await db.write(async (tx) => {
    const device = await requireDevice(tx, caller.scope, uid)
    const { company_id } = device
    const now = instant(clock.now())
    const gone = device.status === 'connected' && { ...DISCONNECTED, status_at: now }
    if (gone) await presenceHistory(tx).note(device.id, 'disconnected', now)
    const change = { secret_hash: hashSecret(secret), ...gone }
    await deviceStore(tx, caller.scope).update(device.id, change)
    const changes = { secret: SECRET_CHANGED }
    await recordChange(tx, clock, caller, { company_id, action: 'device.secret_renewed', name: uid, changes })
    return device
  })
  broker.disconnectDevice(uid)
  if (status === 'connected') live.deviceStatus(company_id, uid, 'disconnected', connection)
  live.changed(company_id, 'audit')
  await broker.giveSecret(uid, secret)
  return { uid, secret }
}

/**
 * Admits a device: its ids and a number for its connection; `undefined` for a wrong secret or unknown uid. Devices that
 * connect at the same moment are looked up together.
 */
export function openAdmission({ db }: Pick<Needs, 'db'>) {
  const secretOf = openLookUps(async (uids: readonly string[]) => {
    const rows = await deviceStore(db.read, 'all').secretsOf(uids)
    const byUid = new Map(rows.map((row) => [row.uid, row]))
    return uids.map((uid) => byUid.get(uid))
  })
  return async function admitDevice(uid: string, secret: string) {
    const device = await secretOf(uid)
    if (device === undefined || !isSecret(secret, device.secret_hash)) return undefined
    const connection = await db.connectionNumber()
    return { device_id: device.id, company_id: device.company_id, connection }
  }
}
