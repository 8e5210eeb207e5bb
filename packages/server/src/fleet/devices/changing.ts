import { Uid } from '@sdd/contract/core/fields.ts'
import type { ChangedDevices, CommonChange, DevicesChange } from '@sdd/contract/fleet/device-changes.ts'
import type { Device } from '@sdd/contract/fleet/devices.ts'
import { MAX_TAGS } from '@sdd/contract/fleet/tags.ts'
import { differences, recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant, nowOf, utc } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Live } from '#server/core/live.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { holdCapacity } from './capacity.store.ts'
import { asDevice, type DeviceLinks, enabling, seenAt, unknownDevice } from './devices.ts'
import { maintainedUntil } from './maintenance.ts'
import { deviceStore, type ListedDevice } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  wake(): void
  broker: Pick<DeviceLinks, 'lastSeen'>
}

/** Devices per transaction. This limits how long it takes. */
const AT_ONCE = 100

/** Changes one device, and records the changed fields in the audit log. `unknown_device` outside the scope. */
export async function editDevice(
  needs: Needs,
  caller: Caller,
  uid: string,
  change: CommonChange,
): Promise<Device> {
  const { clock, broker } = needs
  refuseBadMaintenance(change, clock, 'maintenance_until')
  const [changed] = (await changeThese(needs, caller, [uid], change)).changed
  if (changed === undefined) throw unknownDevice(uid)
  return asDevice(changed, seenAt(clock, broker, uid), nowOf(clock))
}

/** Makes the same change to several devices. Devices outside the scope are refused, and the others are changed. */
export async function editDevices(
  needs: Needs,
  caller: Caller,
  { uids, change }: DevicesChange,
): Promise<ChangedDevices> {
  refuseBadTags(change)
  refuseBadMaintenance(change, needs.clock, 'change.maintenance_until')
  const asked = [...new Set(uids)]
  const found = new Set<string>()
  const full = new Set<string>()
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const some = await changeThese(needs, caller, asked.slice(from, from + AT_ONCE), change)
    for (const { uid } of some.changed) found.add(uid)
    for (const uid of some.full) full.add(uid)
  }
  const refused = asked.flatMap((uid) => {
    if (found.has(uid)) return []
    const { code, message: detail, params } = full.has(uid) ? tooManyTags(uid) : unknownDevice(uid)
    return [{ uid, code, detail, params }]
  })
  return { changed: found.size, refused }
}

/** `invalid` if a change sets all tags and also some of them, or adds a tag that it removes. */
function refuseBadTags({ tags, add_tags, remove_tags }: CommonChange): void {
  if (tags && (add_tags || remove_tags)) throw badTags('tags', 'cannot stand beside add_tags or remove_tags')
  if (add_tags?.some((tag) => remove_tags?.includes(tag)))
    throw badTags('add_tags', 'has a tag that remove_tags has, too')
}

function badTags(field: string, why: string): Refusal {
  return invalidField(`change.${field}`, why, 'bad_format', {})
}

/** `invalid` on this field unless maintenance ends later than now, and within a year. */
function refuseBadMaintenance({ maintenance_until: until }: CommonChange, clock: Clock, field: string): void {
  if (until === undefined || until === null) return
  const now_ms = clock.now()
  const latest = new Date(now_ms)
  latest.setUTCFullYear(latest.getUTCFullYear() + 1)
  const until_ms = Date.parse(until)
  if (until_ms > now_ms && until_ms <= latest.getTime()) return
  const [min, max] = [instant(now_ms), latest.toISOString()]
  const why = until_ms <= now_ms ? 'must be later than now' : 'must be within a year'
  throw invalidField(field, why, 'out_of_range', { min, max })
}

function tooManyTags(uid: string): Refusal {
  const detail = `${uid} would have more than ${MAX_TAGS} tags.`
  return new Refusal('too_many_tags', detail, { params: { max: MAX_TAGS } })
}

/**
 * Changes those of the devices that the caller sees, in one transaction. Returns them as they are now, and the uids of
 * those that would have too many tags.
 */
async function changeThese(
  { db, clock, live, wake }: Needs,
  caller: Caller,
  uids: readonly string[],
  change: CommonChange,
): Promise<{ changed: ListedDevice[]; full: string[] }> {
  const possible = uids.filter((uid) => Uid.safeParse(uid).success)
  if (possible.length === 0) return { changed: [], full: [] }
  const retags = Boolean(change.tags ?? change.add_tags ?? change.remove_tags)
  const { changed, full } = await db.write(async (tx) => {
    const rows = await deviceStore(tx, caller.scope).listedByUids(possible)
    const mayForbid =
      retags ||
      change.enabled === false ||
      change.max_sms_dayly !== undefined ||
      Boolean(change.maintenance_until)
    const ids = rows.map(({ id }) => id)
    if (mayForbid) await holdCapacity(tx, ids)
    const changed: ListedDevice[] = []
    const full: string[] = []
    for (const row of rows) {
      const after = await changeOne(tx, clock, caller, row, change)
      if (after) changed.push(after)
      else full.push(row.uid)
    }
    return { changed, full }
  })
  for (const company_id of new Set(changed.map((row) => row.company_id)))
    live.changed(company_id, 'devices', 'settings', 'audit')
  const mayAllow = [change.enabled, change.max_sms_dayly, change.maintenance_until]
  if (retags || mayAllow.some((field) => field !== undefined)) wake()
  return { changed, full }
}

/** `undefined` if the device would have too many tags. */
async function changeOne(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  before: ListedDevice,
  change: CommonChange,
): Promise<ListedDevice | undefined> {
  const tags = tagsAfter(tagsOf(before), change)
  if (tags.length > MAX_TAGS) return undefined
  const now = instant(clock.now())
  const { max_sms_dayly = before.max_sms_dayly, enabled = before.enabled === 1 } = change
  const columns = {
    name: textAfter(before.name, change.name),
    location: textAfter(before.location, change.location),
    note: textAfter(before.note, change.note),
    tags: JSON.stringify(tags),
    max_sms_dayly,
    maintenance_until: maintenanceAfter(before.maintenance_until, change),
    ...(enabled !== (before.enabled === 1) && { ...enabling(enabled), enabled_at: now }),
  }
  const after: ListedDevice = { ...before, ...columns }
  const devices = deviceStore(tx, caller.scope)
  await devices.update(before.id, columns)
  if (columns.tags !== before.tags) await devices.setTags(before, tags)
  await recordChange(tx, clock, caller, {
    company_id: before.company_id,
    action: 'device.changed',
    name: before.uid,
    changes: differences(shown(before, now), shown(after, now)),
  })
  return after
}

/** An absent text stays, and an empty one is none. */
function textAfter(before: string | null, change: string | null | undefined): string | null {
  return change === undefined ? before : change || null
}

function maintenanceAfter(before: string | null, { maintenance_until: until }: CommonChange): string | null {
  return until === undefined ? before : utc(until)
}

function tagsOf({ tags }: Pick<ListedDevice, 'tags'>): string[] {
  return JSON.parse(tags) as string[]
}

/** Sorted, each once. */
function tagsAfter(
  before: readonly string[],
  { tags, add_tags = [], remove_tags = [] }: CommonChange,
): string[] {
  if (tags) return tags
  const kept = before.filter((tag) => !remove_tags.includes(tag))
  return [...new Set([...kept, ...add_tags])].sort()
}

/** The fields that a person can change, in the form of the API. */
function shown(device: ListedDevice, now: string) {
  const { name, location, note, max_sms_dayly } = device
  const [tags, enabled] = [tagsOf(device), device.enabled === 1]
  const maintenance_until = maintainedUntil(device, now) ?? null
  return { name, location, note, tags, max_sms_dayly, enabled, maintenance_until }
}
