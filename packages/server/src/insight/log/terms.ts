/** Characters of one term of the index: what is shorter is in nearly every text, and found by looking. */
const TERM = 3
/** What so many rare ones leave over, the rows themselves sort out sooner. */
const MOST_TERMS = 3
/** Above this share of the texts, a term beside a rarer one costs more than it sorts out. */
const COMMON = 0.1

/**
 * What the search index is asked for texts or numbers that have one of these in them, in its own language: three
 * characters in a row, of which several must be there. Going through a term takes as long as it is frequent, so of all
 * the rarest are asked for, apart from each other where there are enough; the row itself has to say whether it has the
 * rest. `undefined` where one is too short to tell anything. `shareOf` is the share of the texts that have a term.
 */
export function termsOf(wanted: readonly string[], shareOf: (term: string) => number): string | undefined {
  const alternatives = [...new Set(wanted)].map((text) => rarestOf(text, shareOf))
  if (alternatives.some((terms) => terms.length === 0)) return undefined
  return alternatives.map((terms) => `(${terms.map(quoted).join(' AND ')})`).join(' OR ')
}

function rarestOf(text: string, shareOf: (term: string) => number): string[] {
  const characters = Array.from(text.replaceAll('\0', ''))
  const all = new Map<string, { at: number; share: number }>()
  for (let at = 0; at + TERM <= characters.length; at++) {
    const term = characters.slice(at, at + TERM).join('')
    all.set(term, { at, share: shareOf(term) })
  }
  // Numbers differ at their ends.
  const sorted = [...all].sort(([, one], [, other]) => one.share - other.share || other.at - one.at)
  const useful = sorted.filter(([, { share }], place) => place === 0 || share <= COMMON)
  const chosen: typeof sorted = []
  for (const one of useful)
    if (chosen.every(([, { at }]) => Math.abs(at - one[1].at) >= TERM)) chosen.push(one)
  const more = useful.filter((one) => !chosen.includes(one))
  return [...chosen, ...more].slice(0, MOST_TERMS).map(([term]) => term)
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}
