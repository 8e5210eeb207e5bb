import type { AuditEntry, AuditExport } from '@sdd/contract/accounts/audit.ts'
import type { CsvFile } from '@sdd/contract/core/route.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { type CsvColumn, csvHead, csvRow } from '#server/core/csv.ts'
import type { Database } from '#server/database/open.ts'
import type { Live } from '#server/core/live.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import { listAudit } from './audit.ts'
import { recordExport } from './exported.ts'

type Needs = {
  db: Pick<Database, 'readInWorker' | 'write'>
  clock: Clock
  live: Live
  securityLog: SecurityLog
}

/** Entries to read, and to keep in memory, at a time. */
const PAGE = 1_000

/** The audit log as a CSV file, newest first, read at the client's speed. */
export function exportAudit(needs: Needs, caller: Caller, selection: AuditExport): CsvFile {
  const { clock } = needs
  return {
    filename: `audit-log-${clock.day(clock.now())}.csv`,
    pieces: writeAudit(needs, caller, selection),
  }
}

async function* writeAudit(needs: Needs, caller: Caller, selection: AuditExport): AsyncGenerator<string> {
  await recordExport(needs, caller, 'log.exported', 'audit log')
  yield csvHead(columns)
  let cursor: string | null | undefined
  while (cursor !== null) {
    const page = await listAudit(needs, caller.scope, { ...selection, limit: PAGE, cursor })
    yield page.entries.map((entry) => csvRow(columns, entry)).join('')
    cursor = page.next_cursor
  }
}

const columns: readonly CsvColumn<AuditEntry>[] = [
  ['ID', ({ id }) => id],
  ['Company ID', ({ company_id }) => company_id],
  ['At', ({ at }) => at],
  ['By', ({ by }) => by],
  ['User ID', ({ user_id }) => user_id],
  ['Address', ({ address }) => address],
  ['Action', ({ action }) => action],
  ['Subject', ({ subject }) => subject],
  ['Name', ({ name }) => name],
  ['Changes', ({ changes }) => JSON.stringify(changes)],
]
