import type { Country } from '@sdd/contract/core/countries.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import type { NetworkSim } from '@sdd/contract/fleet/devices.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import { countryOf } from '#server/core/phone-number.ts'

/** The number of a SIM as it is stored. Digits that cannot be a number stay as they are. */
export function simNumber(numbers: Pick<Numbers, 'kept'>, company_id: number, written: string): string {
  return numbers.kept(company_id, written) ?? dropSeparators(written)
}

/**
 * The country of the SIM with this id, ICCID or number, by its own number. If the device has a single SIM, it needs no
 * name. `undefined` if it is not known which SIM it is, or its number has no `+`.
 */
export function simCountry(
  sims: readonly NamedSim[],
  name: string | number | null | undefined,
): Country | undefined {
  const sim = sims.length === 1 ? sims[0] : simNamed(sims, name)
  const number = sim?.phone_number
  return number ? countryOf(dropSeparators(number)) : undefined
}

type NamedSim = Pick<NetworkSim, 'id' | 'iccid' | 'phone_number'>

/** The SIM with this id, ICCID or number. `readNumber` reads the numbers of a company, see `simNumber`. */
export function simNamed<One extends NamedSim>(
  sims: readonly One[],
  name: string | number | null | undefined,
  readNumber: (written: string) => string = dropSeparators,
): One | undefined {
  if (name === null || name === undefined) return undefined
  const same = (known: string | number | null) =>
    known !== null && plain(known, readNumber) === plain(name, readNumber)
  return sims.find(({ id, iccid, phone_number }) => [id, iccid, phone_number].some(same))
}

/** Devices write ICCIDs and numbers with and without blanks, and some end an ICCID with a filler. */
function plain(name: string | number, readNumber: (written: string) => string): string {
  return readNumber(String(name)).replace(/(?<=^\d{18,22})[Ff]$/, '')
}
