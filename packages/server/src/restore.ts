import { join } from 'node:path'
import { readConfig } from './config.ts'
import { listBackups } from './database/backup.ts'
import { BACKUP_FOLDER } from './database/files.ts'
import { holdBack, HOW_TO_RESTORE } from './database/postgres/hold-back.ts'
import { restoreBackup } from './database/restore.ts'

const HELP = `npm run restore -- FILE

Puts a backup into DATA_DIR, which must have no database: name an empty folder, or move the old one away first.
Sending is off afterwards in every company, and everybody has to log in again.
`

try {
  const [file] = process.argv.slice(2)
  const { DATABASE_URL } = readConfig()
  if (DATABASE_URL !== undefined && file === '--hold-back')
    sayWhatIsOff(await holdBack(DATABASE_URL, new Date()))
  else if (DATABASE_URL !== undefined) throw new Error(HOW_TO_RESTORE)
  else if (file === undefined || file === '--help') explain(file)
  else restore(file)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

function explain(asked: string | undefined): void {
  process.stdout.write(HELP)
  if (asked) return
  const { DATA_DIR } = readConfig()
  const there = listBackups(join(DATA_DIR, BACKUP_FOLDER))
  process.stdout.write(
    `\n${there.length > 0 ? `There are:\n${there.join('\n')}` : `${DATA_DIR} has no backups.`}\n`,
  )
  process.exitCode = 1
}

function restore(path: string): void {
  const { DATA_DIR } = readConfig()
  const found = restoreBackup({ path, folder: DATA_DIR, now: new Date() })
  process.stdout.write(`${DATA_DIR} holds what ${path} had. `)
  sayWhatIsOff(found)
}

function sayWhatIsOff({ waiting, companies }: { waiting: number; companies: number }): void {
  process.stdout.write(
    `Sending is off in ${companies === 1 ? 'its company' : `all ${companies} companies`}.\n` +
      (waiting === 0
        ? 'No message had still to be sent then: start the server, and switch sending on in Settings.\n'
        : `${waiting} messages had still to be sent then. Some may have gone out since: a device does not send again\n` +
          'what it has sent, but a task may go to another device. Start the server, look at them, discard what\n' +
          'shall not go, and switch sending on in Settings.\n'),
  )
}
