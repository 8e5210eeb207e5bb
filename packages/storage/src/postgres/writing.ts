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
/** Writes that share a commit, and how they are tried next. */
type Group<Tables> = {
  jobs: readonly Job<Tables>[]
  tries: number
  /** Each job is checked separately. */
  separately: boolean
  /** No other server writes meanwhile. */
  exclusive: boolean
}
/** The writes of a group, which have run. */
type Transaction = {
  id: string
  session: Connection
  began: number
  /** The first failed statement. */
  failure: Failure | undefined
  /** What each caller is told after the commit. */
  outcomes: Outcome[]
  /** There is something to commit. */
  open: boolean
}
type Failure = { error: unknown }
type Committing<Tables> = { group: Group<Tables>; session: Connection; failure: Promise<Failure | undefined> }

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
 * at the end. The group is then run again with each write checked separately, to find the failing write. While a commit
 * is under way, the next group runs behind it in the same session. It is committed after that commit is known to have
 * succeeded, otherwise both run again in the order of the calls.
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
  const waiting: Job<Tables>[] = []
  let running: Promise<void> | undefined
  let closed = false

  /** The transaction whose writes run now. */
  let now: Transaction

  const tx = postgresTx<Tables>(
    async ({ text, name, silent }, values) => {
      rows.send()
      const answer = sent(now.session.send(text, values, name))
      return silent ? { rows: [] } : answer
    },
    { writing: true, totals: () => totals, rowWrites: () => rows },
  )
  const rows = openRowWrites((text, values, name) => void sent(now.session.send(text, values, name)))
  const totals = openTotals(() => tx)

  /** Records a statement's error, even if its answer is not awaited. */
  function sent<T>(answer: Promise<T>): Promise<T> {
    const transaction = now
    answer.catch((error: unknown) => (transaction.failure ??= { error }))
    return answer
  }

  /**
   * Sends a statement that needs no answer. It is prepared, so that it is sent together with its neighbours. PostgreSQL
   * reads 63 characters of `name`.
   */
  function tell(text: string, name = text): void {
    void sent(now.session.send(text, [], name))
  }

  async function drain(): Promise<void> {
    let group: Group<Tables> | undefined
    let committing: Committing<Tables> | undefined
    while (group ?? committing ?? waiting.length > 0) {
      // Callers about to write join the group. The turn also keeps its begin out of the batch with the commit before
      // it: PostgreSQL skips the rest of a batch if that commit fails, and later statements would be in no transaction.
      await new Promise(setImmediate)
      group ??= nextGroup()
      const prepared = group && (await prepare(group, committing?.session))
      const failure = await committing?.failure
      const last = committing
      committing = undefined
      if (last && failure) {
        await rollBack(last.session)
        if (group) waiting.unshift(...group.jobs)
        group = await again(last.group, failure.error)
      } else if (!group || !prepared) group = undefined
      else if ('error' in prepared) group = await again(group, prepared.error)
      else {
        committing = { group, session: prepared.session, failure: commit(group, prepared) }
        group = undefined
      }
    }
    running = undefined
  }

  /** The first of the waiting writes that share a commit. */
  function nextGroup(): Group<Tables> | undefined {
    if (waiting.length === 0) return undefined
    const next = waiting.findIndex(({ ownCommit }) => ownCommit)
    const size = next === 0 ? 1 : Math.min(next === -1 ? waiting.length : next, MOST)
    return { jobs: waiting.splice(0, size), tries: 1, separately: false, exclusive: false }
  }

  /** How a failed group is tried next, or nothing once its callers are told that it is given up. */
  async function again(group: Group<Tables>, error: unknown): Promise<Group<Tables> | undefined> {
    if (isUnreachable(error)) writeSession.drop()
    if (group.tries === TRIES || error instanceof OutcomeUnknown) return rejectAll(group.jobs, error)
    if (!isCollision(error)) group.separately = true
    else if (group.exclusive) await wait(PAUSE_MS * group.tries * Math.random())
    else group.exclusive = true
    group.tries++
    return group
  }

  function settle(job: Job<Tables>, outcome: Outcome): void {
    if ('error' in outcome) job.reject(toCallerError(outcome.error))
    else job.resolve(outcome.value)
  }

  function rejectAll(jobs: readonly Job<Tables>[], error: unknown): undefined {
    const why =
      error instanceof OutcomeUnknown
        ? unavailable({ code: 'not_ready', detail: NOT_KNOWN, retry_after_secs: 5 })
        : toCallerError(error)
    for (const job of jobs) job.reject(why)
  }

  /**
   * Runs a group's writes in a transaction and leaves it open. `behind` is the session of a commit that is under way:
   * a new session is not used before `end` has looked there whether a lost commit was made.
   */
  async function prepare(
    { jobs, separately, exclusive }: Group<Tables>,
    behind: Connection | undefined,
  ): Promise<Transaction | Failure | undefined> {
    let session: Connection
    try {
      session = behind ?? (await writeSession.session())
    } catch (error) {
      // Do not keep callers waiting for an unreachable server.
      return rejectAll([...jobs, ...waiting.splice(0)], error)
    }
    const transaction: Transaction = {
      id: randomUUID(),
      session,
      began: performance.now(),
      failure: undefined,
      outcomes: [],
      open: true,
    }
    now = transaction
    totals.clear()
    rows.clear()
    try {
      tell('begin isolation level read committed')
      tell(exclusive ? EXCLUSIVE : SHARED, exclusive ? 'exclusive' : 'shared')
      void sent(writeSession.mark(session, transaction.id)).catch(() => {})
      if (jobs.length === 1 && !separately) {
        const outcome = await attempt(jobs[0]!.work)
        throwFailure(transaction)
        transaction.outcomes.push(outcome)
        transaction.open = 'value' in outcome
      } else
        for (const [place, { work }] of jobs.entries())
          transaction.outcomes.push(
            await (separately ? attemptSeparately(work, place) : attemptAmongOthers(work, place)),
          )
      if (transaction.open) {
        totals.begin()
        await totals.write()
      } else await rollBack(session)
      return transaction
    } catch (error) {
      if (isUnreachable(error)) return { error }
      await rollBack(session)
      // After one failure all later statements fail too, but only the first tells why.
      return transaction.failure ?? { error }
    }
  }

  function throwFailure({ failure }: Transaction): void {
    if (failure) throw failure.error
  }

  async function rollBack(session: Connection): Promise<void> {
    await session.send('rollback').catch(() => {})
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
  async function attemptAmongOthers(work: Work<Tables, unknown>, place: number): Promise<Outcome> {
    // Each name is unique: rolling back a later job must not hide an earlier failure that is not known yet.
    const savepoint = `work_${place}`
    tell(`savepoint ${savepoint}`)
    const outcome = await attempt(work)
    throwFailure(now)
    if ('error' in outcome) {
      totals.undo()
      tell(`rollback to ${savepoint}`)
    }
    tell(`release ${savepoint}`)
    return outcome
  }

  /** Runs one job and waits until all its statements are known to have succeeded. */
  async function attemptSeparately(work: Work<Tables, unknown>, place: number): Promise<Outcome> {
    const savepoint = `work_${place}`
    const { session } = now
    for (let again = false; ; again = true) {
      await session.send(`savepoint ${savepoint}`)
      const outcome = await attempt(work)
      // Answers come in order, so all earlier failures are known after this one.
      await sent(session.send('select 1')).catch(() => {})
      const failed = now.failure
      now.failure = undefined
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

  /** Commits a group's transaction and tells its callers, or resolves to why it failed. */
  async function commit({ jobs }: Group<Tables>, transaction: Transaction): Promise<Failure | undefined> {
    try {
      if (transaction.open) {
        beforeCommit()
        await end(transaction)
      }
    } catch (error) {
      return { error }
    }
    noteSuccess()
    if (transaction.open) committed((performance.now() - transaction.began) / 1000, jobs.length)
    for (const [place, outcome] of transaction.outcomes.entries()) settle(jobs[place]!, outcome)
    return undefined
  }

  async function end(transaction: Transaction): Promise<void> {
    let command: string
    try {
      ;({ command } = await transaction.session.send('commit', [], 'commit'))
    } catch (error) {
      if (!isUnreachable(error)) throw transaction.failure ? transaction.failure.error : error
      writeSession.drop()
      if (await isCommitted(transaction.id)) return
      throw error
    }
    if (command === 'COMMIT') return
    throwFailure(transaction)
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
