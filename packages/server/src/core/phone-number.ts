import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'
import type { Country } from '@sdd/contract/core/countries.ts'
import { dropSeparators } from '@sdd/contract/core/fields.ts'
import { isPlainNumber } from './plain-number.ts'

const SHORT_CODE = /^\d{3,6}$/

/** E.164 allows no more digits. */
const E164 = /^\+\d{7,15}$/

/**
 * The form in which a number is stored: E.164 (`+34600111222`), or 3 to 6 digits as they are, a short code. Digits
 * without `+` are read as people in `country` dial them. `undefined` if this cannot be a number. It must be *possible*
 * (of a length that its country has), not *valid*, because numbering plans change faster than the metadata.
 */
export function keptNumber(written: string, country: Country): string | undefined {
  const digits = dropSeparators(written)
  if (SHORT_CODE.test(digits)) return digits
  if (E164.test(digits) && isPlainNumber(digits)) return digits
  if (!/^\+?\d{3,25}$/.test(digits)) return undefined
  const number = possible(digits, country)
  // Of some digits the library makes a number that it would read as another one, or as none: `004900123`.
  return number === undefined || isPlainNumber(number) || possible(number, country) === number
    ? number
    : undefined
}

function possible(digits: string, country: Country): string | undefined {
  const number = parsePhoneNumberFromString(digits, country as CountryCode)
  return number?.isPossible() && E164.test(number.number) ? number.number : undefined
}

/** The form in which the sender of a received SMS is stored. What cannot be a number stays as it is ("BANCO"). */
export function keptSender(from: string, country: Country): string {
  return keptNumber(from, country) ?? from
}

/** Whether an SMS can be sent to the stored form of a sender. */
export function isAnswerable(kept: string): boolean {
  // In the stored form no country matters: either there is a `+`, or it is a short code.
  return keptNumber(kept, 'ES') === kept
}

/** The country of a number with `+`; `undefined` if it has none, such as +800. */
export function countryOf(number: string): Country | undefined {
  if (!number.startsWith('+')) return undefined
  const digits = dropSeparators(number)
  // Each message with sending hours asks for its country, and most calling codes have only one.
  for (let end = 2; end <= 4; end++) {
    const only = COUNTRIES.get(digits.slice(1, end))
    if (only?.length === 1) return only[0]
  }
  const parsed = parsePhoneNumberFromString(digits)
  return parsed?.country ?? parsed?.getPossibleCountries()[0]
}

/** The countries of each calling code. */
const COUNTRIES = Map.groupBy(getCountries(), (country) => getCountryCallingCode(country))
