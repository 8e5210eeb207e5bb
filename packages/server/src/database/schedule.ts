import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import type { Clock } from '#server/core/clock.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import { listBackups } from './backup.ts'
import { BACKUP_FOLDER } from './files.ts'

type Needs = {
  clock: Clock
  log: Logger
  config: { DATA_DIR: string; BACKUP_EVERY_HOURS: number; BACKUPS_KEPT: number }
}

const LOOK_EVERY_MS = 60_000
/** A new installation has its first one soon. */
const FIRST_AFTER_MS = 3_600_000
const RETRY_MS = 3_600_000
const PROGRAM = join(import.meta.dirname, '../backup.ts')

/**
 * Makes a backup when the newest is older than `BACKUP_EVERY_HOURS`; after a restart too, for it looks at the files. In
 * a process of its own: copying a large database would stop this one for as long.
 */
export function startBackups({ clock, log, config }: Needs): Loop {
  const folder = join(config.DATA_DIR, BACKUP_FOLDER)
  const every_ms = config.BACKUP_EVERY_HOURS * 3_600_000
  const started_ms = clock.now()
  let not_before_ms = 0

  return startLoop({
    name: 'backups',
    every_ms: LOOK_EVERY_MS,
    log,
    async work() {
      if (every_ms === 0 || clock.now() < Math.max(dueAt(), not_before_ms)) return
      const options = ['--data-dir', config.DATA_DIR, '--keep', String(config.BACKUPS_KEPT)]
      try {
        const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...options])
        log.info(`Backup: ${stdout.trim().replaceAll('\n', '; ')}`)
      } catch (error) {
        const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
        log.error(`No backup could be made (${said}); it is tried again in an hour`)
        not_before_ms = clock.now() + RETRY_MS
      }
    },
  })

  function dueAt(): number {
    const [newest] = listBackups(folder)
    return newest === undefined ? started_ms + Math.min(every_ms, FIRST_AFTER_MS) : madeAt(newest) + every_ms
  }
}

/** When a backup was made, as its name says. */
function madeAt(path: string): number {
  const [, y, mo, d, h, mi, s] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(path) ?? []
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`)
}
