/**
 * Whether an SMS consists only of one of these words (or phrases). Ignores case, accents, and the whitespace,
 * punctuation and symbols around it.
 */
export function isStopWord(text: string, words: readonly string[]): boolean {
  const content = bareWord(text)
  return content !== '' && words.some((word) => bareWord(word) === content)
}

/** A word as it is compared; empty if it has no letter or digit. */
export function bareWord(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const [core = ''] = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su.exec(folded) ?? []
  return core.replace(/\s+/g, ' ')
}
