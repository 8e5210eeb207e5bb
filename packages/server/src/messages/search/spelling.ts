import { fold, spellingsOf } from '@sdd/storage/fold.ts'

/** A regular expression that matches a text in any case, with or without accents. */
export function anySpelling(text: string): string {
  return Array.from(fold(text), (character) => {
    const others = spellingsOf(character)
    if (others !== '') return `[${character}${others}]`
    return /[\p{L}\p{N}\s]/u.test(character) ? character : `\\${character}`
  }).join('')
}
