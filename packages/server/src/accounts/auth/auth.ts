import { BAD_CREDENTIALS, type Credentials, type Session } from '@sdd/contract/accounts/auth.ts'
import type { Role } from '@sdd/contract/core/roles.ts'
import type { Duty } from '@sdd/contract/core/route.ts'
import { recordInBurst } from '#server/accounts/audit/bursts.ts'
import { type Clock, DAY_MS, HOUR_MS, instant, MINUTE_MS } from '#server/core/clock.ts'
import type { SignedIn } from '#server/core/context.ts'
import { Refusal, unlessRefused } from '#server/core/refusal.ts'
import { hashSecret, newSecret } from '#server/core/secrets.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { quotaOf } from '#server/accounts/quotas/enforcing.ts'
import { findByLogin, loginKey } from '#server/accounts/users/users.ts'
import { passSecondFactor } from './codes.ts'
import { forgetTries, subjectsOf } from '#server/accounts/passwords/failures.ts'
import type { Hashing } from '#server/accounts/passwords/hashing.ts'
import type { Passwords } from '#server/accounts/passwords/passwords.ts'
import { sessionStore } from './store.ts'
import { hashInTurn } from '#server/accounts/passwords/trying.ts'

type Needs = { db: Database; clock: Clock; live: Live }
type Hashes = { hashing: Hashing; passwords: Passwords }

/** A session ends after this long without use, … */
export const IDLE_MS = 12 * HOUR_MS
/** … and after this long even if it is used. */
const LONGEST_MS = 30 * DAY_MS
/** Store the use of a session at most this often: a write for each request would cost a commit for each request. */
const USED_EVERY_MS = 5 * MINUTE_MS
const LONGEST_USER_AGENT = 200
/** The most entries about one user's logins within a minute. */
const MOST_ENTRIES = 30

/**
 * Opens a session. A wrong name, a wrong password and a disabled user get the same answer (`bad_credentials`) in the
 * same time. 10 failures for a name or an e-mail (counted separately), or 50 for an address, within 15 minutes are
 * `too_many_attempts`. `busy` if too many password checks are queued. If the password is right and the user has a
 * second factor, asks for it: `second_factor_required`, `bad_code`.
 */
export async function login(needs: Needs & Hashes, credentials: Credentials, from: From): Promise<Session> {
  // Count by the typed name, not by the user: a lock by user would reveal which e-mail belongs to a locked name.
  // Hashed, as people type passwords into the wrong field.
  const subject = `login as ${hashSecret(loginKey(credentials.username))}`
  const { address } = from
  const asker = { user: subject, address, subjects: subjectsOf(subject, address) }
  return hashInTurn(needs, asker, (tries) => openSession(needs, credentials, from, tries))
}

type From = { address: string; user_agent: string }

async function openSession(
  { db, clock, live, passwords }: Needs & Pick<Hashes, 'passwords'>,
  credentials: Credentials,
  from: From,
  tries: readonly number[],
): Promise<Session> {
  const user = await findByLogin(db.read, credentials.username)
  const right = await passwords.isRight(credentials.password, user?.password_hash)
  if (!right || !user?.enabled) throw refused()
  const access_token = newSecret('sds_')
  const now = clock.now()
  const passed = await db.write(async (tx) => {
    // During the password check, the password may have changed or the user may have been disabled.
    const current = await findByLogin(tx, credentials.username)
    if (!current?.enabled || current.password_hash !== user.password_hash) throw refused()
    const second = await passSecondFactor(tx, user.id, credentials.code, now)
    if (second === 'wrong') return second
    await forgetTries(tx, tries)
    if (second === 'missing') return second
    await sessionStore(tx).removeExpired(instant(now))
    const id = await sessionStore(tx).insert({
      user_id: user.id,
      token_hash: hashSecret(access_token),
      created_at: instant(now),
      last_used_at: instant(now),
      expires_at: instant(now + IDLE_MS),
      address: from.address,
      user_agent: from.user_agent.slice(0, LONGEST_USER_AGENT),
    })
    await sessionStore(tx).noteLogin(user.id, instant(now))
    await recordLogin(tx, clock, { ...current, session_id: id, address: from.address })
    const most = Math.max(1, await quotaOf(tx, current.companyId, 'sessions'))
    await sessionStore(tx).removeUnused(user.id, most)
    return second
  })
  if (passed === 'missing') {
    throw new Refusal(
      'second_factor_required',
      'A code of the authenticator app, or a recovery code, is needed.',
    )
  }
  if (passed === 'wrong') {
    throw new Refusal('bad_code', 'The code is not right, or was used before. Wait for the next one.')
  }
  live.changed(user.companyId, 'audit', 'users')
  const { role, id, language } = user
  return { access_token, token_type: 'bearer', role, id, language }
}

/** Uses a burst, so that a program that logs in for each call does not fill the log. */
async function recordLogin(
  tx: Tx,
  clock: Clock,
  {
    id: user_id,
    name,
    companyId: company_id,
    session_id,
    address,
  }: { id: number; name: string; companyId: number; session_id: number; address: string },
): Promise<void> {
  const by = { user_id, name, address }
  const change = { company_id, action: 'login.succeeded', name } as const
  const burst = { kind: 'logins of user', of: String(user_id), most: MOST_ENTRIES, what: String(session_id) }
  await recordInBurst(tx, clock, by, change, { ...burst, rest: { by, change } })
}

function refused(): Refusal {
  return new Refusal('bad_credentials', BAD_CREDENTIALS)
}

/** Ends the session at once: no cache remembers a token after its row is deleted. */
export async function logout({ db }: Pick<Needs, 'db'>, session_id: number): Promise<void> {
  await db.write((tx) => sessionStore(tx).remove(session_id))
}

/** Ends all of a user's sessions except this one. Returns the ids of the ended sessions. */
export function endOtherSessions(tx: Tx, user_id: number, but: number): Promise<number[]> {
  return sessionStore(tx).removeOthers(user_id, but)
}

/** The holder of this token; `undefined` if it opens no session (any more). Each use extends the session. */
export async function authenticate(
  { db, clock }: Omit<Needs, 'live'>,
  token: string,
): Promise<SignedIn | undefined> {
  if (!token.startsWith('sds_')) return undefined
  const session = await sessionStore(db.read).byToken(hashSecret(token))
  const now = clock.now()
  if (session === undefined || session.expires_at <= instant(now)) return undefined
  if (now - Date.parse(session.last_used_at) >= USED_EVERY_MS) {
    const until = Math.min(now + IDLE_MS, Date.parse(session.created_at) + LONGEST_MS)
    const used = { last_used_at: instant(now), expires_at: instant(until) }
    const noted = db.write((tx) => sessionStore(tx).use(session.session_id, used))
    // With a full disk people can still read; a later use extends the session.
    await noted.catch(unlessRefused)
  }
  return {
    user_id: session.user_id,
    name: session.name,
    role: session.role,
    company_id: session.company_id,
    session_id: session.session_id,
    proved_at: session.proved_at,
    scope: session.role === 'superadmin' ? 'all' : { company_id: session.company_id },
    duty: dutyOf(session),
  }
}

/** The subset of these sessions that may have a live connection: open sessions whose users have no pending duty. */
export async function liveSessions(
  { db, clock }: Omit<Needs, 'live'>,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const alive = await sessionStore(db.read).alive(ids, instant(clock.now()))
  return new Set(alive.filter((session) => dutyOf(session) === undefined).map(({ id }) => id))
}

/** The duty that a user must fulfil before anything else, from the stored user and company. */
function dutyOf(user: {
  role: Role
  must_change_password: 0 | 1
  require_second_factor: 0 | 1 | null
  second_factor_at: string | null
}): Duty | undefined {
  if (user.must_change_password) return 'password_change'
  const required = user.require_second_factor && user.role !== 'user'
  return required && user.second_factor_at === null ? 'second_factor_setup' : undefined
}
