import { conditionValues, type AlertCondition } from '@sdd/contract/outward/alerts.ts'
import { decimalNumber, wholeNumber } from '#console/ui/typed-number.ts'

export type NumberRange = { least: number; most: number; whole: boolean }

/** The number that was typed; undefined if it is none or out of the range. */
export function numberIn(typed: string, { least, most, whole }: NumberRange): number | undefined {
  return (whole ? wholeNumber : decimalNumber)(typed, least, most)
}

/** The values that a condition takes; undefined if it takes none. */
export function rangeOf(condition: AlertCondition): NumberRange | undefined {
  const range = conditionValues[condition]
  return range === null ? undefined : { least: range[0], most: range[1], whole: condition !== 'balance_low' }
}

/** How many messages a failure rate may count. */
export const overRange: NumberRange = { least: 5, most: 1_000, whole: true }
