import { fold } from '@sdd/storage/fold.ts'

/** Characters per piece. Shorter texts occur in nearly every message, and a scan finds them. */
const PIECE = 3

/**
 * The distinct pieces of three characters in these texts, as unordered 32-bit numbers. Two pieces may share a number,
 * so the row itself must be checked. Case and accents do not count.
 */
export function piecesOf(texts: readonly string[]): number[] {
  const pieces = new Set<number>()
  for (const text of texts) {
    const characters = Array.from(fold(text.replaceAll('\0', '\uFFFD')), (one) => one.codePointAt(0)!)
    for (let at = 0; at + PIECE <= characters.length; at++)
      pieces.add(numberOf(characters[at]!, characters[at + 1]!, characters[at + 2]!))
  }
  return [...pieces]
}

/** Distinct for pieces of characters below 1,024. */
function numberOf(first: number, second: number, third: number): number {
  return Math.imul(first, 1 << 20) ^ Math.imul(second, 1 << 10) ^ third
}
