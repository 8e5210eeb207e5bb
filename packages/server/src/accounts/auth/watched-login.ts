import type { Credentials, Session } from '@sdd/contract/accounts/auth.ts'
import type { ErrorCode } from '@sdd/contract/core/errors.ts'
import type { AuditBatch } from '#server/accounts/audit/batch.ts'
import { MOST_OF_A_KIND } from '#server/accounts/audit/bursts.ts'
import { networkOf } from '#server/core/address.ts'
import { Refusal } from '#server/core/refusal.ts'
import { hashSecret } from '#server/core/secrets.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import { findByLogin, loginKey } from '#server/accounts/users/users.ts'

type Needs = { db: Pick<Database, 'read'>; gathering: AuditBatch; securityLog: SecurityLog }
type Attempt = { username: Credentials['username']; address: string }

const FAILURES: Partial<Record<ErrorCode, 'login.failed' | 'login.locked'>> = {
  bad_credentials: 'login.failed',
  bad_code: 'login.failed',
  too_many_attempts: 'login.locked',
}

/** The most entries about failed logins from one address within a minute. */
const MOST_ENTRIES = 10

/**
 * Records the result of a login in the security log, and a failure in the audit log too. A failure of a user goes to
 * the log of that user's company. A failure for an unknown name is recorded without the typed text, which may be a
 * password. Both cases take the same time.
 */
export async function watchLogin(
  needs: Needs,
  attempt: Attempt,
  login: () => Promise<Session>,
): Promise<Session> {
  try {
    const session = await login()
    needs.securityLog('login.succeeded', { user_id: session.id, address: attempt.address })
    return session
  } catch (error) {
    const action = error instanceof Refusal ? FAILURES[error.code] : undefined
    if (action) await noteFailure(needs, attempt, action)
    throw error
  }
}

async function noteFailure(
  { db, gathering, securityLog }: Needs,
  { username, address }: Attempt,
  action: 'login.failed' | 'login.locked',
): Promise<void> {
  const user = await findByLogin(db.read, username)
  const typed = hashSecret(loginKey(username))
  securityLog(action, {
    address,
    ...(user === undefined ? { name_hash: typed.slice(0, 16) } : { user_id: user.id }),
  })
  const change = { company_id: user?.companyId ?? null, action, name: user?.name ?? null }
  await gathering.note({ name: null, address }, change, {
    kind: 'failed logins from',
    of: networkOf(address),
    most: MOST_ENTRIES,
    most_of_kind: MOST_OF_A_KIND,
    what: `${action} ${typed}`,
    rest: { by: { name: null, address }, change: { company_id: null, action, name: null } },
  })
}
