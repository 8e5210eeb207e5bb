import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '#server/core/config.ts'
import { listBackups } from '@sdd/storage/sqlite/backup.ts'
import { BACKUP_FOLDER } from '@sdd/storage/sqlite/files.ts'
import type { SafeRestore } from '#server/database/safe-restore.ts'
import { securePostgresRestore, HOW_TO_RESTORE } from '#server/database/safe-restore.postgres.ts'
import { restoreBackup } from '#server/database/restore.ts'

const HELP = `npm run restore -- FILE [--keep-access]

Puts a backup into DATA_DIR, which must have no database: name an empty folder, or move the old one away first.
Afterwards sending is off in every company, campaigns are paused, and everybody has to log in again.

A backup may contain access that was revoked after it was made. So all API keys are revoked, link codes and
recovery codes are gone, every user except the superadmins is disabled until a superadmin enables them, and everybody
has to set a new password at the next login.
--keep-access leaves keys, users and passwords as they were: use it only if no access was revoked since the backup.
`

// The files that this program creates, the lock included, are readable only by their owner.
process.umask(0o077)
try {
  const { values, positionals } = parseArgs({
    options: {
      help: { type: 'boolean' },
      'hold-back': { type: 'boolean' },
      'keep-access': { type: 'boolean' },
    },
    allowPositionals: true,
  })
  const [file, ...others] = positionals
  const keep_access = values['keep-access'] ?? false
  const { DATABASE_URL } = readConfig()
  if (others.length > 0) throw new Error(`name only one backup, without ${others.join(' ')}`)
  if (DATABASE_URL !== undefined && values['hold-back'])
    report(await securePostgresRestore(DATABASE_URL, new Date(), keep_access))
  else if (DATABASE_URL !== undefined) throw new Error(HOW_TO_RESTORE)
  else if (file === undefined || values.help) explain(values.help)
  else await restore(file, keep_access)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

function explain(asked: boolean | undefined): void {
  process.stdout.write(HELP)
  if (asked) return
  const { DATA_DIR } = readConfig()
  const there = listBackups(join(DATA_DIR, BACKUP_FOLDER))
  process.stdout.write(
    `\n${there.length > 0 ? `There are:\n${there.join('\n')}` : `${DATA_DIR} has no backups.`}\n`,
  )
  process.exitCode = 1
}

async function restore(path: string, keep_access: boolean): Promise<void> {
  const { DATA_DIR } = readConfig()
  const held = await restoreBackup({ path, folder: DATA_DIR, now: new Date(), keep_access })
  process.stdout.write(`${path} was restored into ${DATA_DIR}. `)
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
