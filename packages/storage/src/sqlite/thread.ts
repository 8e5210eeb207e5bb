import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Answered, Asked, Read, Wanted } from './thread-protocol.ts'

/** A thread with its own connection, so that slow reads do not block this one. */
export type Thread = {
  /** The rows of one statement. */
  all(text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]>
  /** Runs these statements in order and resolves to the rows of the last one. */
  run(texts: readonly string[]): Promise<Record<string, unknown>[]>
  /** Runs the module's `workerRead` (see worker-read.ts) and resolves to its answer. Other requests run in between. */
  work<Answer>(module: string, given: unknown): Promise<Answer>
  close(): Promise<void>
}

/** Results are sent on at once, so the thread needs little memory. */
const RESOURCES = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 }

/** Opens the SQLite file at `path` in a thread, which starts with the first request. */
export function openThread(path: string): Thread {
  const asked = new Map<number, PromiseWithResolvers<unknown>>()
  let worker: Worker | undefined
  let last = 0
  let closed = false

  function start(): Worker {
    const started = new Worker(PROGRAM, {
      workerData: { path },
      resourceLimits: RESOURCES,
      // The thread does not need the modules that the process preloads.
      execArgv: [],
    })
    started.on('message', (answer: Answered) => {
      const { resolve, reject } = asked.get(answer.id)!
      asked.delete(answer.id)
      // An idle thread must not keep the process alive.
      if (asked.size === 0) started.unref()
      if ('error' in answer) reject(Object.assign(new Error(answer.error), { errcode: answer.errcode }))
      else resolve('answer' in answer ? answer.answer : asObjects(answer))
    })
    started.on('error', (error) => end(started, error as Error))
    started.on('exit', () => end(started, new Error('The thread of the database has ended')))
    return started
  }

  /** Rejects the thread's open requests. The next request starts another thread. */
  function end(ended: Worker, why: Error): void {
    if (worker !== ended) return
    worker = undefined
    for (const { reject } of asked.values()) reject(why)
    asked.clear()
  }

  function ask<Answer>(what: Wanted): Promise<Answer> {
    if (closed) return Promise.reject(new Error('The database is closed'))
    const id = ++last
    const answer = Promise.withResolvers<unknown>()
    asked.set(id, answer)
    worker ??= start()
    worker.ref()
    worker.postMessage({ id, ...what } satisfies Asked)
    return answer.promise as Promise<Answer>
  }

  return {
    all: (text, values) => ask({ texts: [text], values }),
    run: (texts) => ask({ texts, values: [] }),
    work: (module, given) => ask({ module, given }),
    async close() {
      closed = true
      await Promise.allSettled([...asked.values()].map(({ promise }) => promise))
      await worker?.terminate()
    },
  }
}

/** Column names are sent once: repeated in each row, they would be most of the data. */
function asObjects({ columns, rows }: Read): Record<string, unknown>[] {
  return rows.map((row) => {
    const object: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at++) object[columns[at]!] = row[at]
    return object
  })
}

/** It lies next to this module, as its source or built. */
const PROGRAM = new URL(`thread-program${extname(import.meta.url)}`, import.meta.url)
