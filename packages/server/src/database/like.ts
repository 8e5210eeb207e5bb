import { perEngine } from '@sdd/storage/sql.ts'

/** `like` for a number or a name: ignores case, in SQLite only that of ASCII letters. */
export const LIKE = perEngine({ sqlite: 'like', postgres: 'ilike' })

/**
 * The pattern for values that contain this text, for a condition that ends in `escape '\'`. It escapes `%`, `_` and the
 * backslash, so a user who searches for `50 %` finds that text, not each value with `50`.
 */
export function likePart(text: string): string {
  return `%${escaped(text)}%`
}

function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
