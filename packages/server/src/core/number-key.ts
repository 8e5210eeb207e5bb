import { type Part, perEngine } from '@sdd/storage/sql.ts'

/** This many of the last digits identify a number. The digits before them are written in many ways, or left out. */
const TELLING = 9

/**
 * The part of a phone number that identifies it in every notation: its last 9 digits, or all digits if it has fewer.
 * `+34 600 111 222`, `0034600111222` and `600111222` have the same key.
 */
export function numberKey(number: string): string {
  return number.replace(/\D/g, '').slice(-TELLING)
}

/**
 * The same in SQL, for a column of digits that may begin with a plus. It must match the expression in the indexes
 * exactly.
 */
export function numberKeyOf(column: string): Part {
  const digits = `ltrim(${column}, '+')`
  return perEngine({ sqlite: `substr(${digits}, -${TELLING})`, postgres: `right(${digits}, ${TELLING})` })
}
