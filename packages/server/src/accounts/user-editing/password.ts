import { recordChange, SECRET_CHANGED } from '#server/accounts/audit/audit.ts'
import { endOtherSessions } from '#server/accounts/auth/auth.ts'
import type { Hashing } from '#server/accounts/passwords/hashing.ts'
import type { Passwords } from '#server/accounts/passwords/passwords.ts'
import { prove } from '#server/accounts/auth/proof.ts'
import type { Clock } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { fault } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { SecurityLog } from '#server/core/security-log.ts'
import type { Database } from '#server/database/open.ts'
import type { Live } from '#server/core/live.ts'
import { refuseGuessable } from './new-password.ts'
import { userStore } from '#server/accounts/users/store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  hashing: Hashing
  passwords: Passwords
  securityLog: SecurityLog
  broker: { disconnectBrowsers(session_id: number): void }
}

/**
 * Changes the caller's own password and ends their other sessions. `invalid` if the given password is wrong, or if the
 * new one is the same or easy to guess; `too_many_attempts`, `busy`.
 */
export async function changePassword(
  needs: Needs,
  caller: Caller,
  { password, new_password }: { password: string; new_password: string },
  address: string,
): Promise<void> {
  const { clock, broker, live, passwords } = needs
  const { user_id, company_id, name } = caller
  if (new_password === password) {
    const fields = { new_password: fault('is the old one: choose another', 'unchanged', {}) }
    throw new Refusal('invalid', 'The new password is the old one. Choose another.', { fields })
  }
  const person = await userStore(needs.db.read, caller.scope).byId(user_id)
  if (person) await refuseGuessable(new_password, person, 'new_password')
  let password_hash = ''
  // Hashing costs as much as checking, so only a caller with the right password gets it.
  const onceRight = async () => void (password_hash = await passwords.hash(new_password))
  const ended = await prove(needs, caller, { password, address, onceRight }, async (tx) => {
    await userStore(tx, caller.scope).update(user_id, { password_hash, must_change_password: 0 })
    const changes = { password: SECRET_CHANGED }
    await recordChange(tx, clock, caller, { company_id, action: 'user.edited', name, changes })
    return endOtherSessions(tx, user_id, caller.session_id)
  })
  for (const session_id of ended) broker.disconnectBrowsers(session_id)
  live.changed(company_id, 'audit')
}
