import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import { sourcePath } from '#server/core/source-path.ts'
import { type Clock, HOUR_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import { listBackups, madeAt, removePartial } from '@sdd/storage/sqlite/backup.ts'
import { BACKUP_FOLDER } from '@sdd/storage/sqlite/files.ts'

type Needs = {
  clock: Clock
  log: Pick<Logger, 'info' | 'error'>
  /** Stops all writing, as the database is damaged. */
  damaged: (what: string) => void
  config: { DATA_DIR: string; BACKUP_EVERY_HOURS: number; BACKUPS_KEPT: number; LEAST_FREE_MB: number }
}

/** `signal` is the name of the signal that ended the process. */
type Failed = Error & { code?: number; signal?: string | null; stderr?: string }

const LOOK_EVERY_MS = MINUTE_MS
/** A new installation gets its first backup soon. */
const FIRST_AFTER_MS = HOUR_MS
const RETRY_MS = HOUR_MS
const DAMAGED = 3
const PROGRAM = sourcePath('app/commands/backup.ts')

/** Makes a backup when one is due. Checks once a minute. A stop ends a backup that is being made. */
export function startBackups(needs: Needs): Loop {
  const stopping = new AbortController()
  const loop = startLoop({
    name: 'backups',
    every_ms: LOOK_EVERY_MS,
    log: needs.log,
    work: openBackups(needs, stopping.signal),
  })
  return {
    ...loop,
    stop() {
      stopping.abort()
      return loop.stop()
    },
  }
}

/**
 * Returns a function that makes a backup if the newest is older than `BACKUP_EVERY_HOURS`. It looks at the files, so
 * restarts do not matter. A failed backup is retried after an hour. A separate process makes the copy, which would
 * block this one. The copy reads every table, so it finds damaged pages that no query has read yet.
 */
export function openBackups(
  { clock, log, config, damaged }: Needs,
  stopping: AbortSignal,
): () => Promise<void> {
  const folder = join(config.DATA_DIR, BACKUP_FOLDER)
  const every_ms = config.BACKUP_EVERY_HOURS * HOUR_MS
  const started_ms = clock.now()
  let failed_ms: number | undefined

  return async () => {
    const now_ms = clock.now()
    const { DATA_DIR, BACKUPS_KEPT, LEAST_FREE_MB } = config
    const options = { 'data-dir': DATA_DIR, keep: BACKUPS_KEPT, spare: LEAST_FREE_MB, now: instant(now_ms) }
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    try {
      if (every_ms === 0 || stopping.aborted || !isDue(now_ms)) return
      const stdout = await run(args)
      failed_ms = undefined
      log.info(`Backup: ${stdout.trim().replaceAll('\n', '; ')}`)
    } catch (error) {
      const { code, signal, stderr, message } = error as Failed
      if (signal) removePartial(folder, new Date(now_ms))
      if (stopping.aborted) return
      failed_ms = now_ms
      const said = stderr?.trim() || message
      if (code === DAMAGED) return damaged(said)
      log.error(`No backup could be made (${said}); the next try is in an hour`)
    }
  }

  /** Resolves to its output once the process has ended. */
  async function run(args: string[]): Promise<string> {
    const running = promisify(execFile)(process.execPath, [PROGRAM, ...args])
    // Not the option `signal`, which rejects while the process may still write.
    const kill = () => running.child.kill()
    stopping.addEventListener('abort', kill)
    try {
      return (await running).stdout
    } finally {
      stopping.removeEventListener('abort', kill)
    }
  }

  function isDue(now_ms: number): boolean {
    // After the clock was set back, times in the future must delay neither the retry nor the next backup.
    if (failed_ms !== undefined && Math.abs(now_ms - failed_ms) < RETRY_MS) return false
    const newest = listBackups(folder)
      .map(madeAt)
      .find((ms) => ms <= now_ms)
    if (newest !== undefined) return now_ms - newest >= every_ms
    return Math.abs(now_ms - started_ms) >= Math.min(every_ms, FIRST_AFTER_MS)
  }
}
