import { type Part, perEngine } from '@sdd/storage/sql.ts'

/** This many of the last digits tell numbers apart: what comes before them is written in many ways, or left out. */
const TELLING = 9

/**
 * The part of a phone number that tells it from others, however it is written: its last 9 digits, or all if it has
 * fewer. `+34 600 111 222`, `0034600111222` and `600111222` are the same.
 */
export function numberKey(number: string): string {
  return number.replace(/\D/g, '').slice(-TELLING)
}

/** The same in SQL, for a column of digits that may begin with a plus; to the letter as the indexes have it. */
export function numberKeyOf(column: string): Part {
  const digits = `ltrim(${column}, '+')`
  return perEngine({ sqlite: `substr(${digits}, -${TELLING})`, postgres: `right(${digits}, ${TELLING})` })
}
