import type { Country } from '@sdd/contract/core/countries.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import type { NetworkSim } from '@sdd/contract/fleet/devices.ts'
import { keptIccid } from '@sdd/contract/fleet/sims.ts'
import { isAnswerable, keptNumber } from '#server/core/phone-number.ts'
import type { Tx } from '#server/database/schema.ts'
import { simNamed } from '#server/fleet/devices/sim-numbers.ts'
import { simsIn } from '#server/fleet/devices/stored-networks.ts'
import { stillIn } from './naming.ts'
import { type SimRow, simStore } from './store.ts'

/** How a device names one of its SIMs: by `id` (without one by slot), ICCID or number. */
type SimName = string | number | null | undefined

/** A SIM in a device. Messages ask for it by this number, which is null if it is not known. */
type OwnSim = Pick<NetworkSim, 'id' | 'iccid' | 'phone_number'> & { number: string | null }

type ReadNumber = (written: string) => string

/**
 * The number of the SIM that received or sent an SMS, in its stored form: the number written by hand, else the number
 * from the device. If the device has a single SIM, it needs no name. `undefined` if it is not known which SIM it is,
 * or its number.
 */
export async function numberOfSim(tx: Tx, uid: string, name: SimName): Promise<string | undefined> {
  const device = await simStore(tx, 'all').named(uid)
  if (device === undefined) return undefined
  const named = simsIn(device.networks)
  const isOnly = named.length === 1
  if (!isOnly && (name === null || name === undefined)) return undefined
  const country = device.default_country as Country
  const readNumber = (written: string) => keptNumber(written, country) ?? dropSeparators(written)
  // Only then may a number of its SIMs have been written by hand.
  const cards = device.names_sims === 1 ? await simStore(tx, 'all').ofDevices([device.id]) : []
  const sims = ownSims(named, cards, readNumber)
  const number = (isOnly ? sims[0] : ownSimNamed(sims, name, readNumber))?.number ?? ''
  return isAnswerable(number) ? number : undefined
}

/**
 * The number by which a message asks for this SIM of the device, which the device once named so. `undefined` if the
 * device no longer has it. `readNumber` reads the numbers of the device's company, see `simNumber`.
 */
export async function simToAnswerBy(
  tx: Tx,
  device: { id: number; networks: string | null },
  name: string,
  readNumber: ReadNumber,
): Promise<Pick<OwnSim, 'number'> | undefined> {
  const named = simsIn(device.networks)
  // It is not known which SIMs the device has.
  if (named.length === 0) return { number: null }
  const cards = await simStore(tx, 'all').ofDevices([device.id])
  return ownSimNamed(ownSims(stillIn(cards, named), cards, readNumber), name, readNumber)
}

/** `cards`: the rows of the device's SIMs that have an ICCID. */
function ownSims(
  named: readonly NetworkSim[],
  cards: readonly Pick<SimRow, 'iccid' | 'number'>[],
  readNumber: ReadNumber,
): OwnSim[] {
  const by_hand = new Map(cards.map(({ iccid, number }) => [iccid, number]))
  return named.map(({ id, slot, iccid, phone_number }) => {
    const reported = readNumber(phone_number ?? '') || null
    return {
      id: id ?? slot,
      iccid,
      phone_number,
      number: by_hand.get(keptIccid(iccid ?? '') ?? '') ?? reported,
    }
  })
}

/** A device that was asked for a SIM by the number written by hand may name it so. */
function ownSimNamed(sims: readonly OwnSim[], name: SimName, readNumber: ReadNumber): OwnSim | undefined {
  return (
    simNamed(sims, name, readNumber) ??
    simNamed(
      sims.map((sim) => ({ ...sim, phone_number: sim.number })),
      name,
      readNumber,
    )
  )
}
