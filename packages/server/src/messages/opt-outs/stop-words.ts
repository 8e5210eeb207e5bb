/**
 * Whether an SMS says nothing but one of these words (or phrases): without regard to case, to accents, and to the
 * blanks, punctuation and signs around it.
 */
export function isStopWord(text: string, words: readonly string[]): boolean {
  const said = bare(text)
  return said !== '' && words.some((word) => bare(word) === said)
}

/** What is compared; empty where there is neither a letter nor a digit. */
function bare(text: string): string {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const [core = ''] = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su.exec(folded) ?? []
  return core.replace(/\s+/g, ' ')
}
