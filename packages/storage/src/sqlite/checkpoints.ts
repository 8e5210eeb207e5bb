import { statSync } from 'node:fs'
import type { GroupCommit } from './group-commit.ts'
import type { Thread } from './thread.ts'

const LOOK_MS = 1_000
/** Pages of 4 KiB that are worth two waits for the disk; a log that never grew larger is left to the close. */
const LEAST_PAGES = 1_000
const LEAST_BYTES = LEAST_PAGES * 4_096
/** Behind so many the log begins anew. */
const MOST_PAGES = 4_000

/**
 * Brings what the write-ahead log holds into the database file, in another thread: SQLite would do it in the middle of a
 * commit, and hold up everything else for as long as the disk takes for pages all over the file. The log can begin anew
 * only when all of it is in the file and nobody adds to it: what came while the most of it was written is written while
 * those who commit wait, a moment.
 */
export function startCheckpoints(needs: {
  log_path: string
  thread: Pick<Thread, 'run'>
  lend: GroupCommit<never>['lend']
}): { stop(): Promise<void> } {
  const { log_path, thread, lend } = needs
  let stopped = false
  let timer = setTimeout(look, LOOK_MS).unref()
  let looking: Promise<void> | undefined

  function look(): void {
    looking = checkpoint()
      // What does not go now goes later; whoever writes hears what is wrong with the disk.
      .catch(() => {})
      .then(() => {
        looking = undefined
        if (!stopped) timer = setTimeout(look, LOOK_MS).unref()
      })
  }

  async function checkpoint(): Promise<void> {
    if ((statSync(log_path, { throwIfNoEntry: false })?.size ?? 0) < LEAST_BYTES) return
    const run = async (how: 'noop' | 'passive') =>
      (await thread.run([`pragma wal_checkpoint(${how})`]))[0] as { log: number; checkpointed: number }
    const { log, checkpointed } = await run('noop')
    if (log - checkpointed < LEAST_PAGES) return
    const written = await run('passive')
    if (written.log > MOST_PAGES && !stopped) await lend(() => run('passive'))
  }

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}
