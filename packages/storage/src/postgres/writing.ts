import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { MakeError } from '#storage/errors.ts'
import { openTotals } from '#storage/totals.ts'
import type { Tx } from '#storage/tx.ts'
import type { Connection } from './connection.ts'
import type { WriteSession } from './write-session.ts'
import { isCollision, isTaken, isUnreachable } from './reach.ts'
import { openRowWrites } from './rows.ts'
import { postgresTx } from './tx.ts'

type Work<Tables, T> = (tx: Tx<Tables>) => Promise<T>
type Job<Tables> = {
  work: Work<Tables, unknown>
  ownCommit: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}
type Outcome = { value: unknown } | { error: unknown }

/** The most writes in a commit: fewer than 64, the number of subtransactions that PostgreSQL keeps in memory. */
const MOST = 50
/** The most times a group is tried if it conflicts with another server. */
const TRIES = 8
/**
 * Groups on several servers lock rows of many callers in different orders, so they can deadlock. PostgreSQL checks for
 * deadlocks only after a second. A group that waits longer than this timeout is rolled back and run again while no
 * other group runs (the number of the lock is arbitrary).
 */
const SHARED = `select pg_advisory_xact_lock_shared(6120837445), set_config('lock_timeout', '100ms', true)`
const EXCLUSIVE = 'select pg_advisory_xact_lock(6120837445)'
const PAUSE_MS = 10

const NOT_KNOWN =
  'The database went away while this was being stored, so it is not known whether it was. Look before you repeat it.'

class OutcomeUnknown extends Error {}

export type Writing<Tables> = {
  /**
   * Runs `work` in its own transaction and resolves once that is committed. Calls made at the same time share one
   * commit, in the order of the calls; a write that throws is rolled back without the others. `work` may be rolled back
   * and run again, so it must await only `tx` and change nothing else. A write with `ownCommit` gets its own commit,
   * so that its locks are not held while other writes run.
   */
  write<T>(work: Work<Tables, T>, how?: { ownCommit?: boolean }): Promise<T>
  close(): Promise<void>
}

/**
 * Many callers' transactions share one commit in one session. A statement without rows is not awaited: its error shows
 * at the end. The group is then run again with each write checked separately, to find the failing write.
 */
export function openWriting<Tables>(needs: {
  writeSession: WriteSession
  toCallerError(error: unknown): unknown
  noteSuccess(): void
  /** Called after each commit, with its duration in seconds and the number of callers that shared it. */
  committed(seconds: number, callers: number): void
  beforeCommit?: () => void
  unavailable: MakeError
}): Writing<Tables> {
  const { writeSession, toCallerError, noteSuccess, committed, beforeCommit = () => {}, unavailable } = needs
  let waiting: Job<Tables>[] = []
  let running: Promise<void> | undefined
  let closed = false

  let session: Connection
  /** The first failed statement since this was last cleared. */
  let failure: { error: unknown } | undefined

  const tx = postgresTx<Tables>(
    async ({ text, name, silent }, values) => {
      rows.send()
      const answer = sent(session.send(text, values, name))
      return silent ? { rows: [] } : answer
    },
    { writing: true, totals: () => totals, rowWrites: () => rows },
  )
  const rows = openRowWrites((text, values, name) => void sent(session.send(text, values, name)))
  const totals = openTotals(() => tx)

  /** Records a statement's error, even if its answer is not awaited. */
  function sent<T>(answer: Promise<T>): Promise<T> {
    answer.catch((error: unknown) => (failure ??= { error }))
    return answer
  }

  /**
   * Sends a statement that needs no answer. It is prepared, so that it is sent together with its neighbours. PostgreSQL
   * reads 63 characters of `name`.
   */
  function tell(text: string, name = text): void {
    void sent(session.send(text, [], name))
  }

  function throwFailure(): void {
    if (failure) throw failure.error
  }

  async function drain(): Promise<void> {
    // Waits one turn of the event loop, so that callers about to write can join the first group.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const called = waiting
      waiting = []
      while (called.length > 0) called.splice(0, await commit(called))
    }
    running = undefined
  }

  /** Commits the first of these jobs together, or rejects them, and returns how many. */
  async function commit(jobs: readonly Job<Tables>[]): Promise<number> {
    const size = groupOf(jobs)
    const group = jobs.slice(0, size)
    const how = { separately: false, exclusive: false }
    for (let tries = 1; ; tries++) {
      try {
        session = await writeSession.session()
      } catch (error) {
        // Do not keep callers waiting for an unreachable server.
        return rejectAll(jobs, error)
      }
      try {
        const outcomes = await transact(group, how)
        noteSuccess()
        outcomes.forEach((outcome, index) => settle(group[index]!, outcome))
        return size
      } catch (error) {
        if (isUnreachable(error)) writeSession.drop()
        if (tries >= TRIES || error instanceof OutcomeUnknown) return rejectAll(group, error)
        if (!isCollision(error)) how.separately = true
        else if (how.exclusive) await wait(PAUSE_MS * tries * Math.random())
        else how.exclusive = true
      }
    }
  }

  /** How many of the first of these jobs share a commit. */
  function groupOf(jobs: readonly Job<Tables>[]): number {
    if (jobs[0]!.ownCommit) return 1
    const next = jobs.findIndex(({ ownCommit }) => ownCommit)
    return Math.min(next === -1 ? jobs.length : next, MOST)
  }

  function settle(job: Job<Tables>, outcome: Outcome): void {
    if ('error' in outcome) job.reject(toCallerError(outcome.error))
    else job.resolve(outcome.value)
  }

  function rejectAll(jobs: readonly Job<Tables>[], error: unknown): number {
    const why =
      error instanceof OutcomeUnknown
        ? unavailable({ code: 'not_ready', detail: NOT_KNOWN, retry_after_secs: 5 })
        : toCallerError(error)
    for (const job of jobs) job.reject(why)
    return jobs.length
  }

  /** `separately`: each job is checked separately. `exclusive`: no other server writes meanwhile. */
  async function transact(
    jobs: readonly Job<Tables>[],
    { separately, exclusive }: { separately: boolean; exclusive: boolean },
  ): Promise<Outcome[]> {
    const began = performance.now()
    const transaction = randomUUID()
    failure = undefined
    totals.clear()
    rows.clear()
    const outcomes: Outcome[] = []
    try {
      tell('begin isolation level read committed')
      tell(exclusive ? EXCLUSIVE : SHARED, exclusive ? 'exclusive' : 'shared')
      void sent(writeSession.mark(session, transaction)).catch(() => {})
      if (jobs.length === 1 && !separately) {
        const outcome = await attempt(jobs[0]!.work)
        throwFailure()
        if ('error' in outcome) {
          await session.send('rollback').catch(() => {})
          return [outcome]
        }
        outcomes.push(outcome)
      } else
        for (const [index, { work }] of jobs.entries())
          outcomes.push(await (separately ? attemptSeparately(work, index) : attemptAmongOthers(work, index)))
      totals.begin()
      await totals.write()
      beforeCommit()
    } catch (error) {
      if (isUnreachable(error)) throw error
      await session.send('rollback').catch(() => {})
      // After one failure all later statements fail too, but only the first tells why.
      throwFailure()
      throw error
    }
    await end(transaction)
    committed((performance.now() - began) / 1000, jobs.length)
    return outcomes
  }

  /** Runs a job without waiting for answers that are not needed. */
  async function attempt(work: Work<Tables, unknown>): Promise<Outcome> {
    totals.begin()
    try {
      const value = await work(tx)
      rows.send()
      return { value }
    } catch (error) {
      rows.clear()
      return { error }
    }
  }

  /** The same for one of several jobs, so that it can be rolled back without the others. */
  async function attemptAmongOthers(work: Work<Tables, unknown>, index: number): Promise<Outcome> {
    // Each name is unique: rolling back a later job must not hide an earlier failure that is not known yet.
    const savepoint = `work_${index}`
    tell(`savepoint ${savepoint}`)
    const outcome = await attempt(work)
    throwFailure()
    if ('error' in outcome) {
      totals.undo()
      tell(`rollback to ${savepoint}`)
    }
    tell(`release ${savepoint}`)
    return outcome
  }

  /** Runs one job and waits until all its statements are known to have succeeded. */
  async function attemptSeparately(work: Work<Tables, unknown>, index: number): Promise<Outcome> {
    const savepoint = `work_${index}`
    for (let again = false; ; again = true) {
      await session.send(`savepoint ${savepoint}`)
      const outcome = await attempt(work)
      // Answers come in order, so all earlier failures are known after this one.
      await sent(session.send('select 1')).catch(() => {})
      const failed = failure
      failure = undefined
      if (failed && (isUnreachable(failed.error) || isCollision(failed.error))) throw failed.error
      if (failed === undefined && 'value' in outcome) {
        await session.send(`release ${savepoint}`)
        return outcome
      }
      totals.undo()
      await session.send(`rollback to ${savepoint}; release ${savepoint}`)
      // Another transaction stored the same key meanwhile. The second run sees that row, and the rule can say so.
      if (failed && isTaken(failed.error) && !again) continue
      return failed ?? outcome
    }
  }

  async function end(transaction: string): Promise<void> {
    let command: string
    try {
      ;({ command } = await session.send('commit', [], 'commit'))
    } catch (error) {
      if (!isUnreachable(error)) {
        await session.send('rollback').catch(() => {})
        throwFailure()
        throw error
      }
      writeSession.drop()
      if (await isCommitted(transaction)) return
      throw error
    }
    if (command === 'COMMIT') return
    throwFailure()
    throw new Error('PostgreSQL has rolled the transaction back')
  }

  async function isCommitted(transaction: string): Promise<boolean> {
    try {
      return await writeSession.wasCommitted(transaction)
    } catch (error) {
      toCallerError(error)
      throw new OutcomeUnknown()
    }
  }

  return {
    write<T>(work: Work<Tables, T>, { ownCommit = false }: { ownCommit?: boolean } = {}): Promise<T> {
      if (closed) return Promise.reject(new Error('The database is closed'))
      return new Promise<T>((resolve, reject) => {
        waiting.push({ work, ownCommit, resolve: resolve as (value: unknown) => void, reject })
        running ??= drain()
      })
    },
    async close() {
      closed = true
      await running
    },
  }
}
