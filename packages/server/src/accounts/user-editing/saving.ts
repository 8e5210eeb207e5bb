import type { Role } from '@sdd/contract/core/roles.ts'
import type { SavedUser, UserChange } from '@sdd/contract/accounts/users.ts'
import { differences, recordChange, SECRET_CHANGED } from '#server/accounts/audit/audit.ts'
import { endOtherSessions } from '#server/accounts/auth/auth.ts'
import type { Hashing } from '#server/accounts/passwords/hashing.ts'
import type { Passwords } from '#server/accounts/passwords/passwords.ts'
import { requireProof } from '#server/accounts/auth/proof.ts'
import { hashForOther } from '#server/accounts/passwords/trying.ts'
import { ensureCompany } from '#server/accounts/companies/companies.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import { fault } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import type { Live } from '#server/core/live.ts'
import { requireQuota } from '#server/accounts/quotas/enforcing.ts'
import { refuseGuessable } from './new-password.ts'
import { userStore } from '#server/accounts/users/store.ts'
import { loginKey, rank, requireManaged, requireSameAccess } from '#server/accounts/users/users.ts'

type Needs = {
  db: Database
  clock: Clock
  live: Live
  hashing: Hashing
  passwords: Passwords
  broker: { disconnectBrowsers(session_id: number): void }
  /** Called when a user lost rights, in this transaction, to end what depends on those rights. */
  rightsLost(tx: Tx, user_id: number): Promise<void>
}
type Timed = Pick<Needs, 'clock'>
type Editing = Pick<Needs, 'clock' | 'rightsLost'>
type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof userStore>['byId']>>>

/**
 * Creates a user, or edits the user with the change's `id`. Callers cannot grant a role above their own, an admin
 * cannot change a superadmin, and one enabled superadmin must remain.
 * A changed password, role or company, or `enabled: false`, ends the user's other sessions. Making an admin or
 * superadmin, or setting another user's password, requires a proof. Callers change their own password with
 * `changePassword` instead.
 * `unknown_user`, `forbidden`, `invalid`, `proof_required`, `name_taken`, `email_taken`, `last_superadmin`,
 * `quota_reached`. A change of password may also be `busy` or `too_many_attempts`: see `hashForOther`.
 */
export async function saveUser(needs: Needs, caller: Caller, change: UserChange): Promise<SavedUser> {
  if (change.password && change.id === caller.user_id) throw ownPassword()
  if (change.password) await refuseGuessable(change.password, change, 'password')
  const password_hash = change.password ? await hashOf(needs, caller, change) : undefined
  const { id, company_ids, ended, lost_codes } = await needs.db.write(async (tx) => {
    await requireSameAccess(tx, caller)
    const saved = change.id
      ? await edit(tx, needs, caller, change.id, change, password_hash)
      : await create(tx, needs, caller, change, password_hash)
    await record(tx, needs.clock, caller, saved)
    return saved
  })
  for (const session_id of ended) needs.broker.disconnectBrowsers(session_id)
  for (const company_id of company_ids)
    needs.live.changed(company_id, 'users', 'audit', ...(lost_codes ? LOST : []))
  return { status: change.id ? 'Usuario guardado' : 'Usuario creado', id }
}

/** The lists that show the link codes and the assignments of a user who loses them. */
const LOST = ['devices', 'conversations'] as const

/** The hash of the change's password. Everything else is checked first, since all of it costs less than a hash. */
async function hashOf(needs: Needs, caller: Caller, change: UserChange): Promise<string> {
  if (change.id) await readyToEdit(needs.db.read, needs, caller, change.id, change)
  else await readyToCreate(needs.db.read, needs, caller, change)
  return hashForOther(needs, caller, change.password!)
}

type Fields = Pick<Row, 'name' | 'email' | 'role' | 'enabled' | 'companyId'>
type Saved = {
  id: number
  /** The companies with changed lists. */
  company_ids: Set<number>
  /** The ids of the ended sessions. */
  ended: number[]
  /** Whether the user's link codes stopped working. */
  lost_codes: boolean
  before?: Fields
  after: Fields
  new_password: boolean
}

/** Records the change in the log of each company that the user was or is in. */
async function record(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  { company_ids, before, after, new_password }: Saved,
): Promise<void> {
  const changes = {
    ...differences(before && shown(before), shown(after)),
    ...(before !== undefined && new_password && { password: SECRET_CHANGED }),
  }
  const action = before === undefined ? 'user.created' : 'user.edited'
  for (const company_id of company_ids) {
    await recordChange(tx, clock, caller, { company_id, action, name: after.name, changes })
  }
}

function shown({ name, email, role, enabled, companyId }: Fields) {
  return { name, email, role, enabled: enabled === 1, companyId }
}

async function create(
  tx: Tx,
  { clock }: Timed,
  caller: Caller,
  change: UserChange,
  password_hash: string | undefined,
): Promise<Saved> {
  const after = await readyToCreate(tx, { clock }, caller, change)
  const created_at = instant(clock.now())
  const { companyId } = after
  if (companyId !== caller.company_id) await ensureCompany(tx, companyId, created_at)
  const user = { ...after, password_hash: password_hash!, created_at, must_change_password: 1 } as const
  const id = await userStore(tx, caller.scope).insert(user)
  return { id, company_ids: new Set([companyId]), ended: [], lost_codes: false, after, new_password: true }
}

/** The new user's fields if the caller may create such a user. Writes nothing. */
async function readyToCreate(tx: Tx, { clock }: Timed, caller: Caller, change: UserChange) {
  refuseRoleAbove(caller, change.role)
  if (!change.password) {
    throw new Refusal('invalid', 'A new user needs a password.', {
      fields: { password: fault('is required', 'required', {}) },
    })
  }
  const companyId = companyFor(caller, change, caller.company_id)
  if (change.role !== 'user') requireProof(caller, clock.now())
  await refuseTaken(tx, change, undefined)
  await requireQuota(tx, companyId, 'users', instant(clock.now()))
  const enabled = change.enabled === false ? 0 : 1
  return { ...names(change), role: change.role, enabled, companyId } as const
}

/** The user's fields before and after the change, if the caller may make it. Writes nothing. */
async function readyToEdit(tx: Tx, { clock }: Timed, caller: Caller, id: number, change: UserChange) {
  const before = await requireManaged(tx, caller, id)
  // Checked second: a caller who may not change this user hears that first, whatever role the change has.
  refuseRoleAbove(caller, change.role)
  const companyId = companyFor(caller, change, before.companyId)
  if (change.password || rank(change.role) > rank(before.role)) requireProof(caller, clock.now())
  await refuseTaken(tx, change, id)
  const enabled = change.enabled === undefined ? before.enabled : change.enabled ? 1 : 0
  const after = { ...names(change), role: change.role, enabled, companyId } as const
  await refuseWithoutSuperadmin(tx, before, after)
  if (companyId !== before.companyId) await requireQuota(tx, companyId, 'users', instant(clock.now()))
  return { before, after }
}

async function edit(
  tx: Tx,
  { clock, rightsLost }: Editing,
  caller: Caller,
  id: number,
  change: UserChange,
  password_hash: string | undefined,
): Promise<Saved> {
  const { before, after } = await readyToEdit(tx, { clock }, caller, id, change)
  const { enabled, companyId } = after
  if (companyId !== before.companyId) await ensureCompany(tx, companyId, before.created_at)
  await userStore(tx, caller.scope).update(id, {
    ...after,
    ...(password_hash !== undefined && {
      password_hash,
      must_change_password: 1,
    }),
  })
  const otherPerson =
    password_hash !== undefined ||
    before.role !== after.role ||
    before.companyId !== companyId ||
    (before.enabled === 1 && enabled === 0)
  const lost_codes = losesLinkCodes(before, after)
  if (lost_codes) await rightsLost(tx, id)
  const ended = otherPerson ? await endOtherSessions(tx, id, caller.session_id) : []
  // The caller's own session continues, but its live connection still has the old role or company.
  if (otherPerson && id === caller.user_id) ended.push(caller.session_id)
  const company_ids = new Set([before.companyId, companyId])
  return { id, company_ids, ended, lost_codes, before, after, new_password: password_hash !== undefined }
}

/** Whether the user could no longer create all of their existing link codes. */
function losesLinkCodes(before: Row, after: Pick<Fields, 'role' | 'enabled' | 'companyId'>): boolean {
  return after.enabled === 0 || after.companyId !== before.companyId || rank(after.role) < rank(before.role)
}

/** An open browser must not be enough to take over the account, so the old password is required. */
function ownPassword(): Refusal {
  const why = 'cannot be changed here: use POST /api/password, which takes the old one too'
  return new Refusal('invalid', `Your own password ${why}.`, {
    fields: { password: fault(why, 'own_password', {}) },
  })
}

function names({ name, email }: UserChange) {
  return { name, name_key: loginKey(name), email, email_key: loginKey(email) }
}

function refuseRoleAbove(caller: Caller, role: Role): void {
  if (rank(role) <= rank(caller.role)) return
  throw new Refusal('forbidden', `An ${caller.role} cannot make anybody ${role}. Ask a superadmin.`, {
    params: { reason: 'higher_role', role },
  })
}

/** The user's company after the change. Only a superadmin may choose another company than the usual one. */
function companyFor(caller: Caller, change: UserChange, usual: number): number {
  const wanted = change.companyId ?? usual
  if (wanted === usual) return usual
  if (caller.role !== 'superadmin') {
    throw new Refusal('forbidden', 'Only a superadmin may put a user into another company.', {
      params: { reason: 'other_company' },
    })
  }
  return wanted
}

/** A name or an e-mail must lead to one user: neither may be another user's name or e-mail. */
async function refuseTaken(tx: Tx, { name, email }: UserChange, id: number | undefined): Promise<void> {
  const others = userStore(tx, 'all')
  if (await others.claimed(loginKey(name), id)) {
    throw new Refusal('name_taken', `Another user goes by ${name} already. Choose another name.`, {
      fields: { name: fault('is taken', 'taken', {}) },
    })
  }
  if (await others.claimed(loginKey(email), id)) {
    throw new Refusal('email_taken', `Another user goes by ${email} already. Choose another e-mail.`, {
      fields: { email: fault('is taken', 'taken', {}) },
    })
  }
}

async function refuseWithoutSuperadmin(
  tx: Tx,
  before: Row,
  after: { role: Role; enabled: 0 | 1 },
): Promise<void> {
  const was = before.role === 'superadmin' && before.enabled === 1
  const stays = after.role === 'superadmin' && after.enabled === 1
  if (!was || stays || (await userStore(tx, 'all').otherSuperadmin(before.id))) return
  throw new Refusal(
    'last_superadmin',
    `${before.name} is the last enabled superadmin. Make another user superadmin first.`,
    { params: { name: before.name } },
  )
}
