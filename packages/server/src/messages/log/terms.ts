/** Characters of one term of the index: what is shorter is in nearly every text, and found by looking. */
const TERM = 3
/** More of them would not find fewer. */
const MOST_TERMS = 24

/**
 * What the search index is asked for texts or numbers that have one of these in them, in its own language: each three
 * characters in a row must be there. Whether they are in that order the row itself has to say. `undefined` where one is
 * too short to tell anything.
 */
export function termsOf(wanted: readonly string[]): string | undefined {
  const alternatives = [...new Set(wanted)].map(trigramsOf)
  if (alternatives.some((trigrams) => trigrams.length === 0)) return undefined
  return alternatives.map((trigrams) => `(${trigrams.join(' AND ')})`).join(' OR ')
}

function trigramsOf(text: string): string[] {
  const characters = Array.from(text.replaceAll('\0', ''))
  const trigrams = new Set<string>()
  for (let at = 0; at + TERM <= characters.length && trigrams.size < MOST_TERMS; at++)
    trigrams.add(
      `"${characters
        .slice(at, at + TERM)
        .join('')
        .replaceAll('"', '""')}"`,
    )
  return [...trigrams]
}
