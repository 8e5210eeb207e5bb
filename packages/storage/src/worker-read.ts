import type { Tx } from './tx.ts'

/**
 * Reads that need several statements, each depending on the result of the previous one. On SQLite they run in another
 * thread (`Database.runInWorker`), so they queue for this thread only once. A module exports one as
 * `workerRead`. Arguments and answer are plain values; bytes in the answer are transferred, not copied.
 */
export type WorkerRead<Tables, Given, Answer> = {
  /** The module's own URL: `import.meta.url`. */
  module: string
  run(tx: Tx<Tables>, given: Given): Promise<Answer>
}
