import type { Country } from '@sdd/contract/core/countries.ts'
import { countryOf } from '#server/core/phone-number.ts'

/** Countries with a numbering plan that the data of the runtime (CLDR) does not know. */
const OTHERS: Readonly<Record<Country, readonly string[]>> = {
  AC: ['Atlantic/St_Helena'],
  TA: ['Atlantic/St_Helena'],
  XK: ['Europe/Belgrade'],
}

const known = new Map<Country, readonly string[]>()

/** The time zones of a country. */
export function zonesOf(country: Country): readonly string[] {
  return known.getOrInsertComputed(
    country,
    () => OTHERS[country] ?? new Intl.Locale(`und-${country}`).getTimeZones() ?? ['UTC'],
  )
}

/** The time zones in which a number may be. A short code, and a number of no country, have those of `country`. */
export function zonesOfNumber(number: string, country: Country): readonly string[] {
  return zonesOf(countryOf(number) ?? country)
}
