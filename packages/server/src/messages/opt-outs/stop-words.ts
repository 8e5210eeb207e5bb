/**
 * Whether an SMS consists only of one of these words (or phrases). Ignores case, accents, and the whitespace,
 * punctuation and symbols around it.
 */
export function isStopWord(text: string, words: readonly string[]): boolean {
  const content = bareWord(text)
  return content !== '' && words.some((word) => bareWord(word) === content)
}

/** Accents, vowel points of Hebrew and Arabic, and marks around signs. In other scripts, marks are vowels and tones. */
const ACCENTS =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f]|[\u0591-\u05c7]|[\u064b-\u065f]|\u0670|[\u20d0-\u20ff]|[\ufe00-\ufe0f]/g

/** A word as it is compared; empty if it has no letter or digit. */
export function bareWord(text: string): string {
  // Both cases, as ß is SS and ı is I in upper case.
  const folded = text.normalize('NFKD').replace(ACCENTS, '').toUpperCase().toLowerCase()
  const [core = ''] = /[\p{L}\p{N}]\p{M}*(?:.*[\p{L}\p{N}]\p{M}*)?/su.exec(folded) ?? []
  return core.replace(/\s+/g, ' ')
}
