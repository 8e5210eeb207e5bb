import type { Tx } from './tx.ts'

/**
 * Reads that take several statements, each by what the one before it found. On SQLite they run in a thread of its own
 * (`Database.runAside`), so that they wait for their turn in this one only once. A module exports one, as `aside`. What
 * it is given and what it answers are plain values; bytes that it answers are handed over, not copied.
 */
export type Aside<Tables, Given, Answer> = {
  /** Where it is: `import.meta.url`. */
  module: string
  run(tx: Tx<Tables>, given: Given): Promise<Answer>
}
