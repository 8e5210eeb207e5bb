import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/**
 * A reading user in a separate process, because the load generator delays its own timing by up to some milliseconds.
 */
export type Reader = {
  /** Requests this path; resolves to the time until the answer, in ms. One at a time. */
  time(path: string): Promise<number>
  close(): void
}

type Timed = { ms: number; error?: never } | { error: string }

export function openReader(port: number, token: string): Reader {
  let program: ReturnType<typeof start> | undefined

  function start() {
    const child = fork(join(import.meta.dirname, 'reader-process.ts'), [String(port), token])
    const gone = once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`The reader process has ended: ${code}`)),
    )
    gone.catch(() => {})
    return { child, gone }
  }

  return {
    async time(path) {
      program ??= start()
      const { child, gone } = program
      const answer = once(child, 'message')
      child.send(path)
      const [said] = (await Promise.race([answer, gone])) as [Timed]
      if (said.error !== undefined) throw new Error(said.error)
      return said.ms
    },
    close() {
      program?.child.kill('SIGKILL')
      program = undefined
    },
  }
}
