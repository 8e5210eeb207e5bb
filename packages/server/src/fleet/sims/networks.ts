import type { Networks } from '@sdd/contract/fleet/devices.ts'
import type { Tx } from '#server/database/schema.ts'
import { simsByDevice } from '#server/fleet/devices/capacity.store.ts'
import { type DeviceRow, deviceStore } from '#server/fleet/devices/store.ts'
import { asStoredNetworks, simsIn } from '#server/fleet/devices/stored-networks.ts'
import { keepSims, type NamingNeeds, noteInDevice, numbersOf, setNumbers, shownNumber } from './naming.ts'

/** A device's snapshot of its networks. */
export type Snapshot = { device_id: number; networks: Networks }

/** Whether the cards in it changed, and whether the device list changed (`shows`): the first SIM's carrier or the radio. */
type KeptSnapshot = { cards: boolean; shows: boolean }

/** Stores the snapshots and SIMs of devices. */
export async function keepNetworks(
  tx: Tx,
  needs: NamingNeeds,
  snapshots: readonly Snapshot[],
  now: string,
): Promise<KeptSnapshot[]> {
  const ids = snapshots.map(({ device_id }) => device_id)
  const [rows, sims] = await Promise.all([deviceStore(tx, 'all').held(ids), simsByDevice(tx, ids)])
  const devices = new Map(rows.map((row) => [row.id, row]))
  const kept = []
  for (const { device_id, networks } of snapshots) {
    const device = devices.get(device_id)
    const numbers = sims.getOrInsertComputed(device_id, () => new Set())
    kept.push(
      device ? await keepSnapshot(tx, needs, device, numbers, networks, now) : { cards: false, shows: false },
    )
  }
  return kept
}

/** Changes the row and the numbers too, for later snapshots of the same device. */
async function keepSnapshot(
  tx: Tx,
  needs: NamingNeeds,
  device: DeviceRow,
  known: Set<string>,
  networks: Networks,
  now: string,
): Promise<KeptSnapshot> {
  const { radio, mobile } = networks
  const devices = deviceStore(tx, 'all')
  const stored = mobile === null ? (await devices.networks(device.uid))?.networks : undefined
  const sims = mobile?.sims ?? simsIn(stored)
  const shown = {
    carrier: sims[0]?.carrier ?? sims[0]?.operator_name ?? null,
    radio_ready: radio ? (radio.ready ? 1 : 0) : null,
    radio_says: radio?.says ?? null,
  } as const
  const ids = sims.flatMap(({ phone_number, iccid }) =>
    [shownNumber(needs.numbers, device.company_id, phone_number), iccid].filter((id) => id !== null),
  )
  await devices.update(device.id, {
    networks: asStoredNetworks(networks, sims),
    ...shown,
    // It changes with every snapshot, so it is no reason for browsers to load the devices again.
    signal: JSON.stringify(mobile?.intensity ?? null),
    sim_ids: JSON.stringify(ids),
    last_seen_at: now,
  })
  const shows = Object.entries(shown).some(
    ([column, value]) => device[column as keyof typeof shown] !== value,
  )
  Object.assign(device, shown)
  // It does not know its SIMs now, so it does not say that one was taken out.
  if (mobile === null) return { cards: false, shows }
  // Most devices name no ICCID, and then nothing is read.
  const names = device.sim_count > 0 || sims.some(({ iccid }) => iccid !== null)
  const { cards, changed } = names
    ? await keepSims(tx, needs, device, sims, now)
    : { cards: [], changed: false }
  if (changed) await noteInDevice(tx, device, cards)
  const numbers = numbersOf(needs.numbers, device.company_id, sims, cards)
  await setNumbers(tx, needs, device, { known, numbers })
  known.clear()
  for (const number of numbers) known.add(number)
  return { cards: changed, shows }
}
