/** Characters of one piece: what is shorter is in nearly every text, and found by looking. */
const PIECE = 3

/**
 * The pieces of three characters in these texts, each as a number of 32 bits, in no order and none twice. Two pieces may
 * have the same number: whether a text has the other the row itself says. Letters from A to Z are as small ones, as the
 * comparison of the log has it.
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

/** Of characters below 1,024 each piece has a number of its own. */
function numberOf(first: number, second: number, third: number): number {
  return Math.imul(first, 1 << 20) ^ Math.imul(second, 1 << 10) ^ third
}
