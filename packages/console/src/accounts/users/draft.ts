import { CallFault } from '@sdd/contract/core/client.ts'
import { type Role, roles } from '@sdd/contract/core/roles.ts'
import { NewPassword } from '@sdd/contract/core/fields.ts'
import { UserChange } from '@sdd/contract/accounts/users.ts'
import { fieldErrors, wantsProof } from '#console/core/api.ts'
import { faults } from '#console/core/fault-text.ts'
import type { Faults } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import { users as words } from './text.ts'
import type { User } from './users.ts'

/** A user as edited in the form; typed values stay unparsed. */
export type Draft = {
  name: string
  email: string
  role: Role
  password: string
  repeat: string
  enabled: boolean
  companyId: string
}

export function draftOf(user: User | undefined): Draft {
  return {
    name: user?.name ?? '',
    email: user?.email ?? '',
    role: user?.role ?? 'user',
    password: '',
    repeat: '',
    enabled: user?.enabled ?? true,
    companyId: user?.companyId === undefined ? '' : String(user.companyId),
  }
}

/** Finds errors in a draft before it is sent. */
export function faultsOf(draft: Draft, user: User | undefined): Faults {
  const fields: Faults['fields'] = {}
  if (draft.name.trim() === '') fields.name = words.required
  if (draft.email.trim() === '') fields.email = words.required
  else if (!UserChange.shape.email.safeParse(draft.email).success) fields.email = words.notAnEmail
  const said = user ? undefined : passwordFault(draft)
  if (said) fields[draft.password === '' ? 'password' : 'repeat'] = true
  else if (draft.password !== '' && !NewPassword.safeParse(draft.password).success) {
    fields.password = words.passwordLength
    return { said: words.saveFailed, fields }
  }
  return { said, fields }
}

/**
 * The request body: the user specification's fields, and other fields only if they changed. `latest` has what a colleague
 * changed since the form opened: it stays where the draft is as the form showed the user.
 */
export function changeOf(draft: Draft, user: User | undefined, latest = user): UserChange {
  const companyId = Number(draft.companyId)
  const typed = { name: draft.name.trim(), email: draft.email.trim(), role: draft.role }
  const kept = <Name extends keyof typeof typed>(name: Name) =>
    user && typed[name] === user[name] ? (latest?.[name] ?? typed[name]) : typed[name]
  return {
    ...(user && { id: user.id }),
    name: kept('name'),
    email: kept('email'),
    role: kept('role'),
    ...(draft.password !== '' && { password: draft.password }),
    ...(user && draft.enabled !== user.enabled && { enabled: draft.enabled }),
    ...(draft.companyId !== '' && companyId !== user?.companyId && { companyId }),
  }
}

/** Whether saving would reduce the user's access or move them to another company. */
export function losesAccess(draft: Draft, user: User): boolean {
  const { enabled, companyId } = changeOf(draft, user)
  return enabled === false || companyId !== undefined || roles.indexOf(draft.role) < roles.indexOf(user.role)
}

/** What the form shows after a failed save. */
export function userSaveFaults(fault: unknown): Faults {
  if (wantsProof(fault)) return { fields: {} }
  const said = fault instanceof CallFault && fault.status > 0 ? faults.refusal(fault) : text.noReply
  return { headline: words.saveFailed, said, fields: fieldErrors(fault) }
}

function passwordFault({ password, repeat }: Draft): string | undefined {
  if (password === '' || repeat === '') return words.twice
  return password === repeat ? undefined : words.differ
}
