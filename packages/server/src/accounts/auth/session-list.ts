import type { AuditAction } from '@sdd/contract/accounts/audit.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import type { OpenSession } from '@sdd/contract/accounts/sessions.ts'
import { recordChange } from '#server/accounts/audit/audit.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { requireManaged } from '#server/accounts/users/users.ts'
import { sessionStore } from './store.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  broker: { disconnectBrowsers(session_id: number): void }
}

/** The open sessions of the caller, or of another user whom the caller may change: `unknown_user`, `forbidden`. */
export async function listSessions(
  { db, clock }: Pick<Needs, 'db' | 'clock'>,
  caller: Caller,
  user: number | undefined,
): Promise<OpenSession[]> {
  await requireOther(db.read, caller, user)
  const sessions = await sessionStore(db.read).ofUser(user ?? caller.user_id, instant(clock.now()))
  return sessions.map((session) => ({ ...session, current: session.id === caller.session_id }))
}

/**
 * Ends a session of the caller, or of another user whom the caller may change. `unknown_session` if the caller may not
 * see its user, `forbidden` if that user ranks higher.
 */
export async function endSession(needs: Needs, caller: Caller, id: number): Promise<void> {
  const { db, clock, live, broker } = needs
  const owner = await db.write(async (tx) => {
    const user_id = await sessionStore(tx).ownerOf(id, instant(clock.now()))
    const owner = await ownerOf(tx, caller, user_id, id)
    await sessionStore(tx).remove(id)
    await record(tx, clock, caller, owner, 'user.session_ended')
    return owner
  })
  broker.disconnectBrowsers(id)
  if (owner) live.changed(owner.companyId, 'audit')
}

/** Ends the caller's other sessions, or all of another user whom the caller may change: `unknown_user`, `forbidden`. */
export async function endOwnOtherSessions(
  needs: Needs,
  caller: Caller,
  user: number | undefined,
): Promise<{ ended: number }> {
  const { db, clock, live, broker } = needs
  const { owner, ended } = await db.write(async (tx) => {
    const owner = await requireOther(tx, caller, user)
    const ended = await sessionStore(tx).removeOthers(user ?? caller.user_id, caller.session_id)
    if (ended.length > 0) await record(tx, clock, caller, owner, 'user.sessions_ended')
    return { owner, ended }
  })
  for (const id of ended) broker.disconnectBrowsers(id)
  if (owner) live.changed(owner.companyId, 'audit')
  return { ended: ended.length }
}

type Owner = { companyId: number; name: string }

/** The named user; `undefined` if that is the caller. */
async function requireOther(tx: Tx, caller: Caller, user: number | undefined): Promise<Owner | undefined> {
  if (user === undefined || user === caller.user_id) return undefined
  if (!holds(caller.role, 'users:manage')) {
    throw new Refusal('forbidden', "Only admins may see and end other users' sessions.", {
      params: { reason: 'sessions_of_others' },
    })
  }
  return requireManaged(tx, caller, user)
}

/** The owner of the session; `undefined` if that is the caller. */
async function ownerOf(
  tx: Tx,
  caller: Caller,
  user_id: number | undefined,
  session_id: number,
): Promise<Owner | undefined> {
  const unknown = new Refusal('unknown_session', `There is no session ${session_id}.`)
  if (user_id === caller.user_id) return undefined
  if (user_id === undefined || !holds(caller.role, 'users:manage')) throw unknown
  return requireManaged(tx, caller, user_id).catch((error: unknown) => {
    throw error instanceof Refusal && error.code === 'unknown_user' ? unknown : error
  })
}

/** The log does not record what users do with their own sessions. */
async function record(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  owner: Owner | undefined,
  action: AuditAction,
): Promise<void> {
  if (owner) await recordChange(tx, clock, caller, { company_id: owner.companyId, action, name: owner.name })
}
