import { randomBytes } from 'node:crypto'
import { holds, type Role, roles } from '@sdd/contract/core/roles.ts'
import { type User, UserChange } from '@sdd/contract/accounts/users.ts'
import type { Language } from '@sdd/contract/core/fields.ts'
import type { Passwords } from '#server/accounts/passwords/passwords.ts'
import { createCompany } from '#server/accounts/companies/companies.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Live } from '#server/core/live.ts'
import { accessChanged, Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { userStore } from './store.ts'

/** The users that the caller sees. */
export async function listUsers({ db }: { db: Database }, caller: Caller): Promise<User[]> {
  const rows = await userStore(db.read, caller.scope).list()
  return rows.map((row) => shownTo(caller, asUser(row)))
}

/** One user that the caller sees, or `unknown_user`. */
export async function readUser({ db }: { db: Database }, caller: Caller, id: number): Promise<User> {
  const row = await userStore(db.read, caller.scope).byId(id)
  if (row === undefined) throw new Refusal('unknown_user', `There is no user ${id}.`)
  return shownTo(caller, asUser(row))
}

/** Only roles that manage users see colleagues' e-mails, their second factor and their last login. */
function shownTo(caller: Caller, user: User): User {
  const open = holds(caller.role, 'users:manage') || user.id === caller.user_id
  return open ? user : { ...user, email: null, second_factor: null, last_login_at: null }
}

/** Stores the language in which the caller reads the console. */
export async function chooseLanguage(
  { db, live }: { db: Pick<Database, 'write'>; live: Live },
  { user_id, company_id, scope }: Pick<Caller, 'user_id' | 'company_id' | 'scope'>,
  language: Language,
): Promise<void> {
  await db.write((tx) => userStore(tx, scope).update(user_id, { language }))
  live.changed(company_id, 'users')
}

/**
 * The user with this id, if the caller may change it: a user with a role above the caller's is refused. `unknown_user`,
 * `forbidden`.
 */
export async function requireManaged(tx: Tx, caller: Caller, id: number) {
  const user = await userStore(tx, caller.scope).byId(id)
  if (user === undefined) throw new Refusal('unknown_user', `There is no user ${id}.`)
  if (rank(user.role) > rank(caller.role)) {
    throw new Refusal(
      'forbidden',
      `${user.name} is a ${user.role}: only a superadmin may change that user.`,
      {
        params: { reason: 'higher_user', name: user.name, role: user.role },
      },
    )
  }
  return user
}

/**
 * Checks in the transaction that the caller was neither disabled nor given another role or company since the request
 * was admitted: it may have waited, and must leave nothing behind then. `forbidden`.
 */
export async function requireSameAccess(tx: Tx, caller: Caller): Promise<void> {
  const user = await userStore(tx, caller.scope).byId(caller.user_id)
  if (user?.enabled !== 1 || user.role !== caller.role) throw accessChanged()
}

/** A higher rank has more rights. */
export function rank(role: Role): number {
  return roles.indexOf(role)
}

type Row = Omit<User, 'enabled' | 'second_factor'> & { enabled: 0 | 1; second_factor_at: string | null }

function asUser({ second_factor_at, enabled, ...row }: Row): User {
  return { ...row, enabled: enabled === 1, second_factor: second_factor_at !== null }
}

/** The user with this name or e-mail, typed in any case. */
export function findByLogin(tx: Tx, username: string) {
  return userStore(tx, 'all').byLogin(loginKey(username))
}

/** The stored hash of a user's password; `undefined` if there is no such user. */
export function passwordHashOf(tx: Tx, id: number): Promise<string | undefined> {
  return userStore(tx, 'all').passwordHashOf(id)
}

/** Normalises names and e-mails for comparison: ignores case, and NFKC equates `ａｎａ` with `ana`. */
export function loginKey(text: string): string {
  // Lower case may split a letter into two that NFKC composes again.
  return text.normalize('NFKC').toLowerCase().normalize('NFKC')
}

/**
 * Creates the first superadmin, and a company for it, if the database has no user. Returns the password if it was
 * generated: show it once, and it must change at the first login.
 */
export async function makeFirstUser(
  { db, clock, passwords }: { db: Database; clock: Clock; passwords: Passwords },
  username: string,
  password: string | undefined,
): Promise<{ username: string; password: string | undefined } | undefined> {
  if (await userStore(db.read, 'all').any()) return undefined
  const generated = password === undefined ? randomBytes(12).toString('base64url') : undefined
  const password_hash = await passwords.hash(password ?? generated!)
  const created_at = instant(clock.now())
  const email = firstEmail(username)
  return db.write(async (tx) => {
    if (await userStore(tx, 'all').any()) return undefined
    const company_id = await createCompany(tx, 'Main', created_at)
    await userStore(tx, 'all').insert({
      companyId: company_id,
      name: username,
      name_key: loginKey(username),
      email,
      email_key: loginKey(email),
      role: 'superadmin',
      enabled: 1,
      password_hash,
      created_at,
      must_change_password: generated === undefined ? 0 : 1,
    })
    return { username, password: generated }
  })
}

/** An e-mail that a later change of the user may keep: the name itself if it is one. */
function firstEmail(name: string): string {
  if (UserChange.shape.email.safeParse(name).success) return name
  return `${name.replaceAll(/[\s@]+/g, '.')}@localhost`
}
