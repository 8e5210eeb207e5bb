/** Characters per term of the index. Shorter texts occur in nearly every message, and a scan finds them. */
const TERM = 3
/** With this many rare terms, checking the remaining rows is faster than another term. */
const MOST_TERMS = 3
/** Above this share of the texts, another term next to a rarer one costs more than it saves. */
const COMMON = 0.1

/**
 * The query of the search index for texts or numbers that contain one of these, in its own language. The terms are
 * three consecutive characters, and several must occur.
 * The cost of a term grows with its frequency. So the query uses the rarest terms, without overlap if there are enough,
 * and the row itself must be checked. `undefined` if a text is too short for the index. `shareOf` is the share of the
 * texts with a term.
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
