import type { Tx } from './schema.ts'

/**
 * Reading that takes several statements, each by what the one before it found: on SQLite it runs in a thread of its own
 * (`Database.runAside`), so that it waits for its turn in this one once, and not once a statement. A module exports one,
 * as `aside`. What it is given and what it answers are plain values; bytes that it answers are handed over, not copied.
 */
export type Aside<Given, Answer> = {
  /** Where it is: `import.meta.url`. */
  module: string
  run(tx: Tx, given: Given): Promise<Answer>
}
