/** The letters that have accents, or a capital form, besides ASCII: Latin, Greek and Cyrillic. */
const LETTERS = [
  [0xc0, 0x24f],
  [0x386, 0x3ce],
  [0x400, 0x4ff],
  [0x1e00, 0x1eff],
] as const

const BASES = basesOf()

/** The text in small letters, and Latin letters without accents: `Mañana` is `manana`. Each character stays one. */
export function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  return text.replace(/[A-Z]|[^\0-\x7f]/g, (character) => BASES.get(character) ?? character)
}

/** The other characters that `fold` writes like this folded one. */
export function spellingsOf(folded: string): string {
  return SPELLINGS.get(folded) ?? ''
}

function basesOf(): Map<string, string> {
  const bases = new Map<string, string>()
  for (let code = 65; code <= 90; code++)
    bases.set(String.fromCodePoint(code), String.fromCodePoint(code + 32))
  for (const [first, last] of LETTERS) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code)
      const base = baseOf(character)
      if (base !== character) bases.set(character, base)
    }
  }
  return bases
}

function baseOf(character: string): string {
  const [letter = '', ...marks] = character.normalize('NFD')
  const base = marks.length > 0 && /^[a-z]$/i.test(letter) ? letter : character
  const small = base.toLowerCase()
  return small.length === 1 ? small : base
}

const SPELLINGS = new Map<string, string>()
for (const [character, base] of BASES) SPELLINGS.set(base, (SPELLINGS.get(base) ?? '') + character)
