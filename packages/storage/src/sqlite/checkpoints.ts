import { statSync } from 'node:fs'
import type { GroupCommit } from './group-commit.ts'
import type { Thread } from './thread.ts'

const LOOK_MS = 1_000
/** The fewest 4 KiB pages that are worth two syncs. A shorter log is checkpointed at close. */
const LEAST_PAGES = 1_000
const LEAST_BYTES = LEAST_PAGES * 4_096
/** A longer log is restarted from its beginning. */
const MOST_PAGES = 4_000

/**
 * Checkpoints the write-ahead log in another thread. SQLite would do it in the middle of a commit and block the process
 * while the disk writes pages all over the file. The log can restart from its beginning only if all of it is in the
 * file and nothing is appended meanwhile. So most of it is written first; the pages added since are written between
 * two commits, while writers wait briefly.
 */
export function startCheckpoints(needs: {
  log_path: string
  thread: Pick<Thread, 'run'>
  runBetweenCommits: GroupCommit<never>['runBetweenCommits']
}): { stop(): Promise<void> } {
  const { log_path, thread, runBetweenCommits } = needs
  let stopped = false
  let timer = setTimeout(look, LOOK_MS).unref()
  let looking: Promise<void> | undefined

  function look(): void {
    looking = checkpoint()
      // A failed checkpoint is retried later; writers report faults of the disk.
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
    if (written.log > MOST_PAGES && !stopped) await runBetweenCommits(() => run('passive'))
  }

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}
