import type { DatabaseSync } from 'node:sqlite'
import type { Faults } from './faults.ts'
import type { OnCommitted } from '#storage/database.ts'
import { openTotals, type Totals, type Writer } from '#storage/totals.ts'

type Work<Tx, T> = (tx: Tx) => Promise<T>
type Job<Tx> = {
  work: Work<Tx, unknown>
  callers(): number
  onCommitted: OnCommitted<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** How long the first write waits while others keep joining its group. */
const GATHER_MS = 1

/** How long a group accepts writes. Bounds the wait of its first caller. */
const GROUP_MS = 15
/** After this long, the event loop gets a turn. */
const TURN_MS = 1

export type GroupCommit<Tx> = {
  /**
   * Runs `work` in its own transaction and resolves once that is on disk. Inside, only `tx` may be awaited. Calls made
   * at the same time share one commit, in the order of the calls. A write that throws is rolled back on its own. To do
   * that, the other writes of its group may be rolled back and run again. Calls after `close` are rejected. `callers`
   * returns how many callers the write serves so far. `onCommitted` may prepare the answer during the sync; the answer
   * is sent only after that.
   */
  write<T>(work: Work<Tx, T>, how?: { callers?: () => number; onCommitted?: OnCommitted<T> }): Promise<T>
  /** Runs `work` while no transaction is open. Only writers wait for it. */
  runBetweenCommits<T>(work: () => Promise<T>): Promise<T>
  /** Whether a writer is waiting now. */
  isWanted(): boolean
  close(): Promise<void>
}

/**
 * Many callers' transactions share one commit and one sync, which makes writes both durable and fast. With
 * `synchronous=NORMAL` SQLite writes a commit to the log without syncing. The sync happens here, so the thread stays
 * free meanwhile and new writes gather for the next commit. Readers may see a commit a moment before it is on disk; its
 * callers are answered only after the sync.
 */
export function openGroupCommit<Tx extends Writer>(needs: {
  connection: DatabaseSync
  /** Makes the transaction object that is passed to each write. Its writes add to these totals. */
  makeTx(totals: () => Totals): Tx
  faults: Pick<Faults, 'toCallerError' | 'noteSuccess' | 'refuseDamaged' | 'noteFailedSync'>
  /** Resolves once the log is on disk. */
  sync(): Promise<void>
  /**
   * Resolves once the changes of the last `runBetweenCommits` are on disk. Awaited before the next commit, after its
   * writes have run.
   */
  pendingSync?: () => Promise<void> | undefined
  /** Called after each commit, with its duration in seconds and the number of callers that shared it. */
  committed(seconds: number, callers: number): void
  beforeCommit?: () => void
  gather_ms?: number
}): GroupCommit<Tx> {
  const {
    connection,
    faults,
    sync,
    pendingSync = () => undefined,
    committed,
    beforeCommit = () => {},
    gather_ms = GATHER_MS,
  } = needs
  const totals = openTotals(() => tx)
  const tx = needs.makeTx(() => totals)
  let waiting: Job<Tx>[] = []
  let betweenCommits: (() => Promise<unknown>)[] = []
  let running: Promise<void> | undefined
  let closed = false

  async function drain(): Promise<void> {
    while (waiting.length + betweenCommits.length > 0) {
      await gather()
      const works = betweenCommits
      betweenCommits = []
      for (const work of works) await work()
      const called = waiting
      waiting = []
      for (let done = 0; done < called.length;) {
        done += await commit(called.slice(done))
        // SQLite answers synchronously, so the event loop has had no turn since.
        await new Promise(setImmediate)
      }
    }
    running = undefined
  }

  /**
   * Waits one turn of the event loop, so that callers about to write can join the group. Waits another turn if somebody
   * joined. A larger group shares the fixed cost of a commit among more writes.
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
   * Commits the first of these jobs together, as many as fit in the time, and returns how many. If one throws, the jobs
   * before it are run again and committed without it. It then comes first in the next group and fails without the
   * others. This needs no savepoint per job, and few jobs fail.
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
          // On a full disk SQLite itself rolls back the whole transaction, so no job survives.
          if (!connection.isTransaction) throw error
          connection.exec('rollback')
          if (values.length > 0) return await commit(jobs.slice(0, values.length))
          jobs[0]!.reject(error)
          return 1
        }
        if (performance.now() - turn_began < TURN_MS) continue
        // Safe: readers use another connection and see only committed rows.
        await new Promise(setImmediate)
        turn_began = performance.now()
      } while (values.length < jobs.length && performance.now() - began < GROUP_MS)
      totals.begin()
      await totals.write()
      beforeCommit()
      await pendingSync()
      faults.refuseDamaged() // a job may have found the damage
      connection.exec('commit')
      const durable = sync().catch(faults.noteFailedSync)
      values.forEach((value, index) => jobs[index]!.onCommitted(value, durable))
      await durable
    } catch (error) {
      if (connection.isTransaction) connection.exec('rollback')
      const reason = faults.toCallerError(error)
      for (const job of jobs) job.reject(reason)
      return jobs.length
    }
    faults.noteSuccess()
    committed((performance.now() - began) / 1000, values.length)
    values.forEach((value, index) => jobs[index]!.resolve(value))
    return values.length
  }

  return {
    write<T>(
      work: Work<Tx, T>,
      {
        callers = () => 1,
        onCommitted = () => {},
      }: { callers?: () => number; onCommitted?: OnCommitted<T> } = {},
    ): Promise<T> {
      if (closed) return Promise.reject(new Error('The database is closed'))
      return new Promise<T>((resolve, reject) => {
        waiting.push({
          work,
          callers,
          onCommitted: onCommitted as OnCommitted<unknown>,
          resolve: resolve as (value: unknown) => void,
          reject,
        })
        running ??= drain()
      })
    },
    runBetweenCommits<T>(work: () => Promise<T>) {
      if (closed) return Promise.reject(new Error('The database is closed'))
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      betweenCommits.push(() => work().then(resolve, reject))
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
