import { join } from 'node:path'
import { commandLine, readConfig } from '#server/core/config.ts'
import { listBackups } from '@sdd/storage/sqlite/backup.ts'
import { BACKUP_FOLDER } from '@sdd/storage/sqlite/files.ts'
import type { SafeRestore } from '#server/database/safe-restore.ts'
import { securePostgresRestore } from '#server/database/safe-restore.postgres.ts'
import { restoreBackup } from '#server/database/restore.ts'
import { runCommand } from './run-command.ts'

const HELP = `${commandLine('restore', 'FILE [--keep-access]')}

Puts a backup into DATA_DIR, which must have no database: name an empty folder, or move the old one away first.
Afterwards sending is off in every company, campaigns are paused, and everybody has to log in again.

A backup may contain access that was revoked after it was made. So all API keys are revoked, link codes and
recovery codes are gone, every user except the superadmins is disabled until a superadmin enables them, and everybody
has to set a new password at the next login.
--keep-access leaves keys, users and passwords as they were: use it only if no access was revoked since the backup.

${commandLine('restore', '--hold-back [--keep-access]')}

Does the same in the database of DATABASE_URL, after PostgreSQL's own tools have restored it.
`

const OF_POSTGRES = `DATABASE_URL is set: restore a backup with PostgreSQL's own tools. Stop the server, then run this,
with the value of DATABASE_URL instead of URL:

  pg_restore --no-owner --exit-on-error --dbname 'URL' sms-drone-dash.dump    # into an empty database
  ${commandLine('restore', '--hold-back')}

The second command removes access that may have been revoked since the backup, and switches sending off in every company.
Messages that waited when the backup was made may have gone out since, and only a person can decide whether to send them
again. --keep-access leaves API keys, users and passwords as they were.
`

const OPTIONS = { 'hold-back': { type: 'boolean' }, 'keep-access': { type: 'boolean' } } as const

// The files that this program creates, the lock included, are readable only by their owner.
process.umask(0o077)
await runCommand({ help: HELP, options: OPTIONS, words: 1 }, async (values, file) => {
  const { 'hold-back': hold_back = false, 'keep-access': keep_access = false } = values
  const { DATA_DIR, DATABASE_URL } = readConfig()
  if (hold_back && DATABASE_URL === undefined)
    throw new Error('DATABASE_URL is not set: --hold-back is for a database in PostgreSQL')
  if (DATABASE_URL === undefined)
    return file === undefined ? explain(DATA_DIR) : restore(file, DATA_DIR, keep_access)
  if (!hold_back || file !== undefined) throw new Error(OF_POSTGRES)
  report(await securePostgresRestore(DATABASE_URL, new Date(), keep_access))
})

function explain(folder: string): void {
  const there = listBackups(join(folder, BACKUP_FOLDER))
  const list = there.length > 0 ? `There are:\n${there.join('\n')}` : `${folder} has no backups.`
  process.stdout.write(`${HELP}\n${list}\n`)
  process.exitCode = 1
}

async function restore(path: string, folder: string, keep_access: boolean): Promise<void> {
  const held = await restoreBackup({ path, folder, now: new Date(), keep_access })
  process.stdout.write(`${path} was restored into ${folder}. `)
  report(held)
}

function report(held: SafeRestore): void {
  process.stdout.write([...accessLines(held), '', ...sendingLines(held), ''].join('\n'))
}

function accessLines({ keep_access, users, api_keys }: SafeRestore): string[] {
  const taken = keep_access
    ? ['All sessions have ended, and link codes are gone. API keys, users and passwords are as they were.']
    : [
        'All sessions have ended, all API keys are revoked, and link codes and recovery codes are gone.',
        'Every user except the superadmins is disabled: a superadmin selects them under Users and enables them.',
        'Everybody has to set a new password at the next login.',
      ]
  return [
    ...taken,
    '',
    keep_access ? 'Users who are enabled:' : 'Users who were enabled in it (the superadmins still are):',
    ...listOf(users.map(({ name, role, company_id }) => `${visible(name)} (${role}, company ${company_id})`)),
    keep_access ? 'API keys that work:' : 'API keys that were there:',
    ...listOf(api_keys.map(({ name, company_id }) => `${visible(name)} (company ${company_id})`)),
  ]
}

function listOf(lines: string[]): string[] {
  return (lines.length > 0 ? lines : ['none']).map((line) => `  ${line}`)
}

/** Replaces characters in a name that would move the cursor or reverse the line. */
function visible(name: string): string {
  return name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
}

function sendingLines({ waiting, companies, campaigns }: SafeRestore): string[] {
  const off = `Sending is off in ${companies === 1 ? 'its company' : `all ${companies} companies`}.`
  const messages =
    waiting === 0
      ? ['No message was waiting to be sent: start the server, and switch sending on in Settings.']
      : [
          `${waiting} messages were waiting to be sent. Some may have gone out since: a device does not send again`,
          'what it has sent, but a task may go to another device. Start the server, look at them, discard what must',
          'not go, and switch sending on in Settings.',
        ]
  return [off, ...messages, ...(campaigns.length > 0 ? campaignLines(campaigns) : [])]
}

function campaignLines(campaigns: SafeRestore['campaigns']): string[] {
  return [
    '',
    'These campaigns are paused. Their pending rows may have gone out since, and would go out again once you resume',
    'them. If in doubt, stop them, and begin new ones with the numbers that got nothing:',
    ...listOf(
      campaigns.map(
        ({ name, company_id, pending }) =>
          `${visible(name)} (company ${company_id}, ${pending} rows pending)`,
      ),
    ),
  ]
}
