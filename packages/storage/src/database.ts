import type { Logger } from 'pino'
import type { Aside } from './aside.ts'
import type { MakeError } from './errors.ts'
import type { Migration } from './migrate.ts'
import type { Tx } from './tx.ts'

export type Database<Tables> = {
  /** For reading only; sees what is committed. */
  read: Tx<Tables>
  /** The same for lists and searches, which may take long: on SQLite in a thread of its own, so that nobody waits. */
  readAside: Tx<Tables>
  /** Runs reads there too: one round trip, however many statements they take. */
  runAside<Given, Answer>(work: Aside<Tables, Given, Answer>, given: Given): Promise<Answer>
  /**
   * Runs `work` in a transaction and resolves once it is on disk; if it throws, it is undone. Many callers share one
   * commit (see the README). Inside, only `tx` may be awaited, and nothing changed except through it: a work may be
   * undone and run again. Rejects with what `unavailable` made if nothing can be stored.
   */
  write<T>(work: (tx: Tx<Tables>) => Promise<T>, how?: WriteOptions<T>): Promise<T>
  /**
   * PostgreSQL: the same in a session of its own, for what may take long. It waits for nobody: if it would have to, it
   * is undone and rejects with `not_ready`.
   */
  apart?: <T>(work: (tx: Tx<Tables>) => Promise<T>) => Promise<T>
  /**
   * SQLite: runs these statements in one transaction of another thread, and resolves to the rows of the last. Only
   * writers wait meanwhile: `held_up` says whether there were any.
   */
  writeAside?: (texts: readonly string[]) => Promise<{ rows: Record<string, unknown>[]; held_up: boolean }>
  /** Why nothing can be stored now; `undefined` while all is well. */
  fault(): Error | undefined
  /** Nothing is stored from now on, as somebody found this damage. Only SQLite. */
  damaged(what: string): void
  /** The next number of a sequence that all servers over this database share. Only PostgreSQL. */
  nextNumber?: (sequence: string) => Promise<number>
  /** To the other servers over this database; `undefined` if there can be none. */
  channel: Channel | undefined
  close(): Promise<void>
}

export type WriteOptions<T> = {
  /** PostgreSQL: this work has a commit to itself, so that what it locks waits for nobody else's work. */
  alone?: boolean
  /** For how many callers it is asked so far, if it may be for several. */
  callers?: () => number
  /** SQLite: called between the commit and the disk. */
  early?: Early<T>
}

/**
 * Hears of a work that is committed, before it is on disk: `kept` resolves then, and rejects if it never will be. It may
 * prepare an answer, which nobody gets before `kept`.
 */
export type Early<T> = (value: T, kept: Promise<void>) => void

/** What is the same for both engines. */
export type OpenOptions<Tables> = {
  migrations: readonly Migration<Tables>[]
  /** Makes the errors of callers while nothing can be stored. */
  unavailable: MakeError
  log?: Logger | undefined
  /** Seconds that one commit took, and how many callers shared it. */
  committed?: (seconds: number, callers: number) => void
  /** Called when everything of a transaction is written, just before its commit. */
  beforeCommit?: () => void
}

/**
 * What servers over one database have beside it: a session of its own, so that nothing waits behind what is written, and
 * what they tell each other (LISTEN/NOTIFY).
 */
export type Channel = {
  /** The rows of a statement. Rejects after 3 s: who asks would rather know that it cannot know. */
  ask<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /**
   * Tells the other servers, a moment later and once what is told repeatedly. Where they cannot be reached they hear later
   * that they missed something.
   */
  tell(event: unknown): void
  /** To be called once. `missed` says that others may have told something that was not heard. */
  listen(ears: { heard(event: unknown): void; missed(): void }): void
  close(): Promise<void>
}
