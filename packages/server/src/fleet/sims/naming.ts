import type { NetworkSim } from '@sdd/contract/fleet/devices.ts'
import { keptIccid } from '@sdd/contract/fleet/sims.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import type { Tx } from '#server/database/schema.ts'
import { holdCapacity, simsByDevice } from '#server/fleet/devices/capacity.store.ts'
import { simNumber } from '#server/fleet/devices/sim-numbers.ts'
import { type DeviceRow, deviceStore } from '#server/fleet/devices/store.ts'
import { simsIn } from '#server/fleet/devices/stored-networks.ts'
import { type SimRow, simStore } from './store.ts'

export type NamingNeeds = {
  numbers: Pick<Numbers, 'kept'>
  /** Called in the transaction that changes the numbers of a device's SIMs. */
  simsChanged(tx: Tx, device: { device_id: number; company_id: number }): Promise<void>
}
type Reading = Pick<Numbers, 'kept'>
type Place = Pick<SimRow, 'device_id' | 'slot' | 'operator' | 'said_number'>

/**
 * Stores which SIMs with an ICCID are in the device: those that it names now. Returns them, by slot, and whether
 * anything changed. A SIM belongs to the device that named it last.
 */
export async function keepSims(
  tx: Tx,
  needs: NamingNeeds,
  { id: device_id, company_id }: Pick<DeviceRow, 'id' | 'company_id'>,
  named: readonly NetworkSim[],
  now: string,
): Promise<{ cards: SimRow[]; changed: boolean }> {
  const sims = simStore(tx, { company_id })
  const before = await sims.ofDevices([device_id])
  const places = placesOf(needs.numbers, company_id, device_id, named)
  const same = before.every((row) => places.has(row.iccid) && !differs(row, places.get(row.iccid)!))
  if (same && before.length === places.size) return { cards: before, changed: false }
  const left = new Set<number>()
  const held = await sims.holdOfDevices([device_id])
  for (const { id, iccid } of held) if (!places.has(iccid)) await sims.update(id, { device_id: null })
  for (const [iccid, place] of places) {
    const found = held.find((row) => row.iccid === iccid) ?? (await sims.byIccid(company_id, iccid))
    // Another server may have moved it to another device.
    const known = found && (await sims.hold(found.id))
    const id = known?.id ?? (await sims.insert({ company_id, iccid, ...place }))
    if (known && differs(known, place)) await sims.update(id, place)
    if (known?.device_id === device_id) continue
    await sims.noteDevice(id, device_id, now)
    if (known?.device_id) left.add(known.device_id)
  }
  for (const id of left) await noteSimsOf(tx, needs, { id, company_id })
  return { cards: await sims.ofDevices([device_id]), changed: true }
}

function placesOf(
  reading: Reading,
  company_id: number,
  device_id: number,
  named: readonly NetworkSim[],
): Map<string, Place> {
  const places = new Map<string, Place>()
  for (const [position, { iccid, slot, operator_name, carrier, phone_number }] of named.entries()) {
    const kept = iccid === null ? undefined : keptIccid(iccid)
    if (kept === undefined || places.has(kept)) continue
    places.set(kept, {
      device_id,
      slot: Number.isSafeInteger(Number(slot ?? NaN)) ? Number(slot) : position,
      operator: operator_name ?? carrier,
      said_number: simNumber(reading, company_id, phone_number ?? '') || null,
    })
  }
  return places
}

function differs(row: Place, place: Place): boolean {
  return Object.entries(place).some(([column, value]) => row[column as keyof Place] !== value)
}

/** The device is unlinked, so it names no SIM any more. */
export async function takeSimsOut(tx: Tx, device: DeviceRow): Promise<void> {
  for (const { id } of await simStore(tx, device).ofDevices([device.id]))
    await simStore(tx, device).update(id, { device_id: null })
}

/** What a device's row says about these SIMs, which are its own, by slot. */
export async function noteInDevice(
  tx: Tx,
  device: Pick<DeviceRow, 'id' | 'sim_id' | 'sim_count' | 'names_sims'>,
  sims: readonly SimRow[],
): Promise<void> {
  const chooses = sims.some(({ renews_on_day, number }) => renews_on_day !== null || number !== null)
  const columns = {
    sim_id: sims[0]?.id ?? null,
    sim_count: sims.length,
    names_sims: chooses ? 1 : 0,
  } as const
  if (columns.names_sims !== device.names_sims) await holdCapacity(tx, [device.id])
  await tx.update('devices', { id: device.id }, columns, device)
  Object.assign(device, columns)
}

/** The numbers for which messages may ask: those that the device says, and those written by hand. */
export function numbersOf(
  reading: Reading,
  company_id: number,
  named: readonly Pick<NetworkSim, 'phone_number'>[],
  sims: readonly Pick<SimRow, 'number'>[],
): Set<string> {
  const said = named.map(({ phone_number }) => simNumber(reading, company_id, phone_number ?? ''))
  const numbers = new Set([...said, ...sims.map(({ number }) => number ?? '')])
  numbers.delete('')
  return numbers
}

/** Those of the SIMs that a device named last which no other device has named since. `cards` are the device's rows. */
export function stillIn(
  cards: readonly Pick<SimRow, 'iccid'>[],
  named: readonly NetworkSim[],
): readonly NetworkSim[] {
  const here = new Set(cards.map(({ iccid }) => iccid))
  return named.filter((sim) => {
    const iccid = keptIccid(sim.iccid ?? '')
    return iccid === undefined || here.has(iccid)
  })
}

/** A reported number as people read it: in its stored form, or as the device wrote it if it cannot be a number. */
export function shownNumber(reading: Reading, company_id: number, reported: string | null): string | null {
  return reported && (reading.kept(company_id, reported) ?? reported)
}

/** Corrects the numbers of a device's SIMs, and what its row says about them, after a change of one of them. */
export async function noteSimsOf(
  tx: Tx,
  needs: NamingNeeds,
  { id, company_id }: { id: number; company_id: number },
): Promise<void> {
  const devices = deviceStore(tx, { company_id })
  const device = await devices.byId(id)
  if (device === undefined) return
  const sims = await simStore(tx, { company_id }).ofDevices([id])
  await noteInDevice(tx, device, sims)
  const named = stillIn(sims, simsIn((await devices.networks(device.uid))?.networks))
  const numbers = numbersOf(needs.numbers, company_id, named, sims)
  const known = (await simsByDevice(tx, [id])).get(id) ?? new Set<string>()
  await setNumbers(tx, needs, device, { known, numbers })
}

/** Stores the numbers for which messages may ask, if they changed. */
export async function setNumbers(
  tx: Tx,
  { simsChanged }: Pick<NamingNeeds, 'simsChanged'>,
  device: DeviceRow,
  { known, numbers }: { known: ReadonlySet<string>; numbers: ReadonlySet<string> },
): Promise<void> {
  const { id: device_id, company_id } = device
  if (numbers.symmetricDifference(known).size === 0) return
  await deviceStore(tx, { company_id }).setSims(device, [...numbers])
  await simsChanged(tx, { device_id, company_id })
}
