import { dropSeparators } from '@sdd/contract/core/fields.ts'
import { numberFault } from './number-fault.ts'

/** The most numbers of one send. */
export const MOST_NUMBERS = 100

export type TypedNumbers = {
  /** Each once, as it was typed first. */
  numbers: string[]
  /** Those that the server would refuse, as they were typed. */
  wrong: string[]
  /** How many were there before. */
  repeated: number
}

/** The numbers of a text: one a line, or with commas, semicolons or tabs between them, or each with its `+`. */
export function readNumbers(typed: string): TypedNumbers {
  const parts = partsOf(typed)
  const numbers = new Map<string, string>()
  const wrong: string[] = []
  let repeated = 0
  for (const part of parts) {
    const dialled = dialledOf(part)
    if (numberFault(part)) wrong.push(part)
    else if (numbers.has(dialled)) repeated++
    else numbers.set(dialled, part)
  }
  return { numbers: [...numbers.values()], wrong, repeated }
}

/** The text without this number. */
export function withoutNumber(typed: string, number: string): string {
  return partsOf(typed)
    .filter((part) => dialledOf(part) !== dialledOf(number))
    .join('\n')
}

function partsOf(typed: string): string[] {
  return typed
    .replaceAll(/\s+(?=\+)/gu, '\n')
    .split(/[\n,;\t]/u)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** `00` and `+` begin the same international number. */
function dialledOf(part: string): string {
  return dropSeparators(part).replace(/^00/, '+')
}
