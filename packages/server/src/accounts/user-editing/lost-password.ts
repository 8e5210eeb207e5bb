import { randomBytes } from 'node:crypto'
import { type Actor, recordChange, SECRET_CHANGED } from '#server/accounts/audit/audit.ts'
import { endOtherSessions } from '#server/accounts/auth/auth.ts'
import type { Passwords } from '#server/accounts/passwords/passwords.ts'
import { userStore } from '#server/accounts/users/store.ts'
import { findByLogin } from '#server/accounts/users/users.ts'
import type { Clock } from '#server/core/clock.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'

const OPERATOR: Actor = { name: 'operator of the server', address: null }
/** The id of no session. */
const NONE = 0

/**
 * Gives the user with this name or e-mail a generated password, and returns both. It must change at the next login. All
 * sessions of the user end. `unknown_user`.
 */
export async function replaceLostPassword(
  { clock, passwords }: { clock: Clock; passwords: Passwords },
  inTransaction: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>,
  username: string,
): Promise<{ name: string; password: string }> {
  const password = randomBytes(12).toString('base64url')
  const password_hash = await passwords.hash(password)
  return inTransaction(async (tx) => {
    const user = await findByLogin(tx, username)
    if (user === undefined)
      throw new Refusal(
        'unknown_user',
        `There is no user ${username}: give a name or an e-mail as Users shows it.`,
      )
    const { id, name, companyId: company_id } = user
    await userStore(tx, 'all').update(id, { password_hash, must_change_password: 1 })
    await endOtherSessions(tx, id, NONE)
    const changes = { password: SECRET_CHANGED }
    await recordChange(tx, clock, OPERATOR, { company_id, action: 'user.edited', name, changes })
    return { name, password }
  })
}
