import { conditionValues, type AlertCondition } from '@sdd/contract/outward/alerts.ts'

export type NumberRange = { least: number; most: number; whole: boolean }

/** The number that was typed, with a point or a comma; undefined if it is none or out of the range. */
export function numberIn(typed: string, { least, most, whole }: NumberRange): number | undefined {
  const plain = typed.trim().replace(',', '.')
  const value = Number(plain)
  if (plain === '' || !Number.isFinite(value) || (whole && !Number.isInteger(value))) return undefined
  return value >= least && value <= most ? value : undefined
}

/** The values that a condition takes; undefined if it takes none. */
export function rangeOf(condition: AlertCondition): NumberRange | undefined {
  const range = conditionValues[condition]
  return range === null ? undefined : { least: range[0], most: range[1], whole: condition !== 'balance_low' }
}

/** How many messages a failure rate may count. */
export const overRange: NumberRange = { least: 5, most: 1_000, whole: true }
