import type { DatabaseSync } from 'node:sqlite'
import type { Faults } from './faults.ts'
import type { Early } from '#storage/database.ts'
import { openTotals, type Totals, type Writer } from '#storage/totals.ts'

type Work<Tx, T> = (tx: Tx) => Promise<T>
type Job<Tx> = {
  work: Work<Tx, unknown>
  callers(): number
  early: Early<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Whoever comes while others do joins their group; who came first waits so long for that. */
const GATHER_MS = 1

/** A group takes callers for so long: bounds how long the first of them waits. */
const GROUP_MS = 15
/** After so much of it, everything else in the process has a turn. */
const TURN_MS = 1

export type GroupCommit<Tx> = {
  /**
   * Runs `work` in a transaction of its own and resolves once that is on disk. Inside, only `tx` may be awaited.
   * What is called in the same moment shares one commit, one after the other in the order of the calls; a work that
   * throws is undone alone. For that, works may be undone and run again. What comes after `close` is rejected. `callers`
   * says for how many it is asked so far, where it may be for several. `early` may prepare what is said of it while the
   * disk is waited for: nobody hears that before it is kept.
   */
  write<T>(work: Work<Tx, T>, how?: { callers?: () => number; early?: Early<T> }): Promise<T>
  /** Runs `work` while there is no transaction: whoever writes meanwhile waits for it, and nothing else does. */
  lend<T>(work: () => Promise<T>): Promise<T>
  /** Whether anybody waits to write at this moment. */
  isWanted(): boolean
  close(): Promise<void>
}

/**
 * Many callers' transactions in one commit, and one wait for the disk: sharing it makes writes both durable and fast. The
 * connection has `synchronous=NORMAL`, which writes a commit to the log without waiting: that is done here, so that the
 * thread has time for everybody else meanwhile, and whoever writes then shares the next commit. Readers may see a commit
 * a moment before it is on disk; nobody is answered on it before.
 */
export function openGroupCommit<Tx extends Writer>(needs: {
  connection: DatabaseSync
  /** The handle on the connection; its works add up in these totals. */
  makeTx(totals: () => Totals): Tx
  faults: Pick<Faults, 'told' | 'wrote' | 'refuseDamaged' | 'lost'>
  /** Resolves once the log is on disk. */
  sync(): Promise<void>
  /** What a loan has written must be kept before the next commit, but not before its works. */
  lent?: () => Promise<void> | undefined
  /** Seconds that one commit took, and how many callers shared it. */
  committed(seconds: number, callers: number): void
  beforeCommit?: () => void
  gather_ms?: number
}): GroupCommit<Tx> {
  const {
    connection,
    faults,
    sync,
    lent = () => undefined,
    committed,
    beforeCommit = () => {},
    gather_ms = GATHER_MS,
  } = needs
  const totals = openTotals(() => tx)
  const tx = needs.makeTx(() => totals)
  let waiting: Job<Tx>[] = []
  let loans: (() => Promise<unknown>)[] = []
  let running: Promise<void> | undefined
  let closed = false

  async function drain(): Promise<void> {
    while (waiting.length + loans.length > 0) {
      await gather()
      const lent = loans
      loans = []
      for (const loan of lent) await loan()
      const called = waiting
      waiting = []
      for (let done = 0; done < called.length;) {
        done += await commit(called.slice(done))
        // SQLite answers at once, so nobody else has had a turn since.
        await new Promise(setImmediate)
      }
    }
    running = undefined
  }

  /**
   * A turn of the event loop lets everyone who is about to write join the group, and so does each that follows one in which
   * somebody came: what a commit costs beside the works is shared by the more.
   */
  async function gather(): Promise<void> {
    const began = performance.now()
    let came
    do {
      came = callers()
      await new Promise(setImmediate)
    } while (callers() > came && performance.now() - began < gather_ms)
  }

  function callers(): number {
    return waiting.reduce((sum, job) => sum + job.callers(), 0)
  }

  /**
   * Commits the first of these jobs together, as many as there is time for, and returns how many. Where one fails, those
   * before it are run again and committed without it: then it is the first of the next, and fails alone. That needs no
   * savepoint for each, and hardly any fails.
   */
  async function commit(jobs: readonly Job<Tx>[]): Promise<number> {
    const began = performance.now()
    const values: unknown[] = []
    try {
      faults.refuseDamaged()
      connection.exec('begin immediate')
      totals.clear()
      let turn_began = began
      do {
        totals.begin()
        try {
          values.push(await jobs[values.length]!.work(tx))
        } catch (error) {
          // A full disk ends the whole transaction by SQLite's own hand: then nobody's work is left.
          if (!connection.isTransaction) throw error
          connection.exec('rollback')
          if (values.length > 0) return await commit(jobs.slice(0, values.length))
          jobs[0]!.reject(error)
          return 1
        }
        if (performance.now() - turn_began < TURN_MS) continue
        // Others read what is committed, on another connection: what is half done here is nobody's to see.
        await new Promise(setImmediate)
        turn_began = performance.now()
      } while (values.length < jobs.length && performance.now() - began < GROUP_MS)
      totals.begin()
      await totals.write()
      beforeCommit()
      await lent()
      faults.refuseDamaged() // one of them may have found it
      connection.exec('commit')
      const kept = sync().catch(faults.lost)
      values.forEach((value, place) => jobs[place]!.early(value, kept))
      await kept
    } catch (error) {
      if (connection.isTransaction) connection.exec('rollback')
      const told = faults.told(error)
      for (const job of jobs) job.reject(told)
      return jobs.length
    }
    faults.wrote()
    committed((performance.now() - began) / 1000, values.length)
    values.forEach((value, place) => jobs[place]!.resolve(value))
    return values.length
  }

  return {
    write<T>(
      work: Work<Tx, T>,
      { callers = () => 1, early = () => {} }: { callers?: () => number; early?: Early<T> } = {},
    ): Promise<T> {
      if (closed) return Promise.reject(new Error('The database is closed'))
      return new Promise<T>((resolve, reject) => {
        waiting.push({
          work,
          callers,
          early: early as Early<unknown>,
          resolve: resolve as (value: unknown) => void,
          reject,
        })
        running ??= drain()
      })
    },
    lend<T>(work: () => Promise<T>) {
      if (closed) return Promise.reject(new Error('The database is closed'))
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      loans.push(() => work().then(resolve, reject))
      running ??= drain()
      return promise
    },
    isWanted: () => waiting.length > 0,
    async close() {
      closed = true
      await running
    },
  }
}
