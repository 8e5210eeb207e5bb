/** Characters per piece. Shorter texts occur in nearly every message, and a scan finds them. */
const PIECE = 3

/**
 * The distinct pieces of three characters in these texts, as unordered 32-bit numbers. Two pieces may share a number,
 * so the row itself must be checked. A to Z count as lower case, as in the log's comparison.
 */
export function piecesOf(texts: readonly string[]): number[] {
  const pieces = new Set<number>()
  for (const text of texts) {
    const characters = Array.from(text.replaceAll('\0', '\uFFFD'), smallCode)
    for (let at = 0; at + PIECE <= characters.length; at++)
      pieces.add(numberOf(characters[at]!, characters[at + 1]!, characters[at + 2]!))
  }
  return [...pieces]
}

function smallCode(character: string): number {
  const code = character.codePointAt(0)!
  return code >= 65 && code <= 90 ? code + 32 : code
}

/** Distinct for pieces of characters below 1,024. */
function numberOf(first: number, second: number, third: number): number {
  return Math.imul(first, 1 << 20) ^ Math.imul(second, 1 << 10) ^ third
}
