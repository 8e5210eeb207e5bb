/** Characters per term of the index. Shorter texts occur in nearly every message, and a scan finds them. */
const TERM = 3
/** With this many rare terms, checking the remaining rows is faster than another term. */
const MOST_TERMS = 3
/** A term in more than this share of the texts is used only if there is no rarer one. */
const COMMON = 0.1

/**
 * An index query (FTS syntax) for rows that may contain any of the `wanted` texts. The caller must check each row. Each
 * text is represented by one to three of its terms, all of which must occur. Rare terms are chosen, because frequent
 * ones are slow to look up, and terms that do not overlap come first. `undefined` if a text is too short for a term.
 * `shareOf` returns the share of texts that contain a term.
 */
export function trigramQuery(
  wanted: readonly string[],
  shareOf: (term: string) => number,
): string | undefined {
  const alternatives = [...new Set(wanted)].map((text) => rarestOf(text, shareOf))
  if (alternatives.some((terms) => terms.length === 0)) return undefined
  return alternatives.map((terms) => `(${terms.map(quoted).join(' AND ')})`).join(' OR ')
}

function rarestOf(text: string, shareOf: (term: string) => number): string[] {
  // The index leaves out combining accents.
  const characters = Array.from(text.replaceAll(/[\u0300-\u036f\0]/g, ''))
  const all = new Map<string, { at: number; share: number }>()
  for (let at = 0; at + TERM <= characters.length; at++) {
    const term = characters.slice(at, at + TERM).join('')
    all.set(term, { at, share: shareOf(term) })
  }
  // Numbers differ at their ends.
  const sorted = [...all].sort(([, one], [, other]) => one.share - other.share || other.at - one.at)
  const useful = sorted.filter(([, { share }], index) => index === 0 || share <= COMMON)
  const chosen: typeof sorted = []
  for (const one of useful)
    if (chosen.every(([, { at }]) => Math.abs(at - one[1].at) >= TERM)) chosen.push(one)
  const more = useful.filter((one) => !chosen.includes(one))
  return [...chosen, ...more].slice(0, MOST_TERMS).map(([term]) => term)
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}
