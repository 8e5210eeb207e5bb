import { randomUUID } from 'node:crypto'
import { recordInBurst } from '#server/accounts/audit/bursts.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller, KeyCaller } from '#server/core/context.ts'
import type { Live } from '#server/core/live.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'

type Needs = { db: Pick<Database, 'write'>; clock: Clock; live: Live; securityLog: SecurityLog }

/** The most audit entries about exports of one user or API key within a minute. */
const MOST_ENTRIES = 30

/** Records an export of messages, or of the audit log itself, in the audit log. Call it before the first line, so that none goes unrecorded. */
export async function recordExport(
  { db, clock, live, securityLog }: Needs,
  caller: Caller | KeyCaller,
  action: 'log.exported' | 'task.exported',
  /** The filters, or the name of another file. */
  selection: Readonly<Record<string, unknown>> | string,
): Promise<void> {
  const { company_id, address } = caller
  const by = 'user_id' in caller ? { user_id: caller.user_id } : { api_key_id: caller.api_key_id }
  const change = {
    company_id,
    action,
    name: typeof selection === 'string' ? selection : inWords(selection),
  } as const
  await db.write((tx) =>
    recordInBurst(tx, clock, caller, change, {
      kind: 'user_id' in by ? 'exports of user' : 'exports with key',
      of: String('user_id' in by ? by.user_id : by.api_key_id),
      most: MOST_ENTRIES,
      what: randomUUID(),
      rest: { by: caller, change: { ...change, name: 'several' } },
    }),
  )
  live.changed(company_id, 'audit')
  securityLog('export.begun', { address, ...by })
}

/** `state=failed, from=2026-06-10T08:00:00Z`, or `everything`. */
function inWords(selection: Readonly<Record<string, unknown>>): string {
  const filters = Object.entries(selection).filter(([, value]) => value !== undefined && value !== '')
  return filters.map(([name, value]) => `${name}=${String(value)}`).join(', ') || 'everything'
}
