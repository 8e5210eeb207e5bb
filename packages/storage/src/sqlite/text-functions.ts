import type { DatabaseSync } from 'node:sqlite'
import { fold } from '#storage/fold.ts'

/** Adds `contains_folded(text, part)`: whether the folded text contains the part, which must be folded already. */
export function addTextFunctions(connection: DatabaseSync): void {
  connection.function('contains_folded', { deterministic: true }, (text, part) =>
    fold(String(text)).includes(String(part)) ? 1 : 0,
  )
}
