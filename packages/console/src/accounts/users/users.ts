import { textOf } from '@sdd/contract/core/client.ts'
import { holds, roles, type Role } from '@sdd/contract/core/roles.ts'
import {
  listUsers,
  readUser,
  saveUser,
  type User as FullUser,
  type UserChange,
} from '@sdd/contract/accounts/users.ts'
import { queryOptions } from '@tanstack/react-query'
import { call, rowsOf } from '#console/core/api.ts'
import { readSession, saveRole } from '#console/core/session.ts'

type Beyond = 'companyId' | 'company' | 'second_factor'

/** The fields of the user specification; what else the contract knows, a server may leave out. */
export type User = Omit<FullUser, Beyond> & Partial<Pick<FullUser, Beyond>>

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => call(listUsers, { signal }, (body) => rowsOf<User>(body, 'users')),
})

/** The roles that somebody of this role may give, the most powerful first. */
export function rolesToGive(by: Role): Role[] {
  return roles.slice(0, roles.indexOf(by) + 1).reverse()
}

/** Whether somebody of this role may give the user another one; `undefined`: a user that is still to be made. */
export function mayGiveRole(by: Role, user: User | undefined): boolean {
  return holds(by, 'users:manage') && (user?.role !== 'superadmin' || by === 'superadmin')
}

/**
 * Saves, and gives the server's words where it has any. Who saves themselves may have another role afterwards: it is
 * read again and kept.
 */
export async function saveUserChange(change: UserChange): Promise<string | undefined> {
  const status = await call(saveUser, { body: change }, (body) => textOf(body, 'status'))
  if (change.id && change.id === readSession()?.userId) await rereadRole(change.id)
  return status
}

async function rereadRole(id: number): Promise<void> {
  try {
    const role = await call(readUser, { params: { id: String(id) } }, (body) => textOf(body, 'role'))
    if (role) saveRole(role)
  } catch (fault) {
    // It is saved all the same; the server goes by the new role whatever is kept here.
    console.error(`user ${id}: ${String(fault)}`)
  }
}
