import { DatabaseSync, StatementSync } from 'node:sqlite'

// Counts SQLite's statements in this process. Loaded before a program with KILL_AFTER, it ends the process like a power
// cut right after that many statements.

let listener: ((count: number) => void) | undefined
let count = 0

function done(): void {
  const heard = listener
  if (heard === undefined) return
  listener = undefined // the listener's own statements do not count
  heard(++count)
  listener = heard
}

const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql: string): void {
  exec.call(this, sql)
  done()
}
for (const name of ['run', 'all', 'get'] as const) {
  const method = StatementSync.prototype[name] as (...parameters: unknown[]) => unknown
  StatementSync.prototype[name] = function (this: StatementSync, ...parameters: unknown[]): never {
    const result = method.apply(this, parameters)
    done()
    return result as never
  }
}

/** Calls `heard` after each statement from now on; `undefined` ends that. */
export function afterEachStatement(heard: ((count: number) => void) | undefined): void {
  count = 0
  listener = heard
}

const killAfter = Number(process.env.KILL_AFTER ?? 0)
if (killAfter > 0) {
  afterEachStatement((count) => {
    if (count === killAfter) process.kill(process.pid, 'SIGKILL')
  })
}
