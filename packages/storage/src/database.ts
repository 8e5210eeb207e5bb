import type { Logger } from 'pino'
import type { WorkerRead } from './worker-read.ts'
import type { MakeError } from './errors.ts'
import type { Migration } from './migrate.ts'
import type { Tx } from './tx.ts'

export type Database<Tables> = {
  /** For reading only. Sees committed rows. */
  read: Tx<Tables>
  /** For slow reads, such as lists and searches. On SQLite they run in another thread and block no other caller. */
  readInWorker: Tx<Tables>
  /** Runs reads there too, in one round trip however many statements they need. */
  runInWorker<Given, Answer>(work: WorkerRead<Tables, Given, Answer>, given: Given): Promise<Answer>
  /**
   * Runs `work` in a transaction and resolves once it is on disk. If `work` throws, its changes are rolled back. Many
   * callers share one commit (see the README). `work` may be rolled back and run again, so it must await only `tx` and
   * change nothing else. Rejects with the error made by `unavailable` if nothing can be stored.
   */
  write<T>(work: (tx: Tx<Tables>) => Promise<T>, how?: WriteOptions<T>): Promise<T>
  /**
   * PostgreSQL: the same in a separate session, for slow transactions. It never waits for a lock: if a row is locked,
   * it is rolled back and rejects with `not_ready`.
   */
  inOwnSession?: <T>(work: (tx: Tx<Tables>) => Promise<T>) => Promise<T>
  /**
   * SQLite: runs these statements in one transaction in another thread and resolves to the rows of the last one. Only
   * writers are blocked meanwhile; `held_up` says whether any were.
   */
  writeInWorker?: (texts: readonly string[]) => Promise<{ rows: Record<string, unknown>[]; held_up: boolean }>
  /** Why nothing can be stored now; `undefined` if storing works. */
  fault(): Error | undefined
  /** Stops all writing, because the caller found this damage. SQLite only. */
  damaged(what: string): void
  /** The next numbers of a sequence that all servers on this database share, ascending. PostgreSQL only. */
  nextNumbers?: (sequence: string, count: number) => Promise<number[]>
  /** The channel to the other servers on this database; `undefined` if there cannot be any. */
  channel: Channel | undefined
  close(): Promise<void>
}

type WriteOptions<T> = {
  /** PostgreSQL: gives this write its own commit, so that its locks are not held while other writes run. */
  ownCommit?: boolean
  /** How many callers this write serves so far, if it can serve several. */
  callers?: () => number
  /** SQLite: called after the commit and before the sync to disk. */
  onCommitted?: OnCommitted<T>
}

/**
 * Called when a write is committed but not yet on disk. `durable` resolves once it is on disk, and rejects if the disk
 * fails. Use it to prepare an answer; send the answer only after `durable`.
 */
export type OnCommitted<T> = (value: T, durable: Promise<void>) => void

/** The options that both engines share. */
export type OpenOptions<Tables> = {
  migrations: readonly Migration<Tables>[]
  /** Makes the error that callers get while nothing can be stored. */
  unavailable: MakeError
  log?: Logger | undefined
  /** Called after each commit, with its duration in seconds and the number of callers that shared it. */
  committed?: (seconds: number, callers: number) => void
  /** Called just before the commit, when all rows of a transaction are written. */
  beforeCommit?: () => void
}

/**
 * How servers on one database talk to each other (LISTEN/NOTIFY). It has its own session, so nothing queues behind
 * writes.
 */
export type Channel = {
  /** The rows of a statement. Rejects after 3 s, because its callers prefer a quick failure to a late answer. */
  ask<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /**
   * Notifies the other servers a moment later; repeated events are sent once. If the database cannot be reached, the
   * other servers learn later that they missed an event.
   */
  tell(event: unknown): void
  /** Call this once. `missed` is called when events from other servers may have been lost. */
  listen(ears: { heard(event: unknown): void; missed(): void }): void
  close(): Promise<void>
}
