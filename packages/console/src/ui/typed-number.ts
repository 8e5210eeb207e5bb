/**
 * A typed whole number between two bounds, with blanks between groups of digits; undefined if it is none. Points and
 * commas are refused: `3.000` is 3000 for one reader and 3 for another.
 */
export function wholeNumber(typed: string, least: number, most: number): number | undefined {
  const digits = withoutBlanks(typed)
  return /^\d+$/.test(digits) ? within(Number(digits), least, most) : undefined
}

/** Like `wholeNumber`, but with decimals after a point or a comma. Exactly three decimals could be a group of digits. */
export function decimalNumber(typed: string, least: number, most: number): number | undefined {
  const digits = withoutBlanks(typed)
  if (!/^\d+([.,]\d+)?$/.test(digits) || /[.,]\d{3}$/.test(digits)) return undefined
  return within(Number(digits.replace(',', '.')), least, most)
}

/** Also the no-break spaces that the console writes between groups. */
function withoutBlanks(typed: string): string {
  return typed.replace(/\s/g, '')
}

function within(value: number, least: number, most: number): number | undefined {
  return value >= least && value <= most ? value : undefined
}
