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
import { callApi, rowsOf } from '#console/core/api.ts'
import { readSession, saveRole } from '#console/core/session.ts'

type Beyond = 'companyId' | 'company' | 'second_factor' | 'language' | 'last_login_at'

/** The fields of the user specification are required. A server may leave out the contract's other fields. */
export type User = Omit<FullUser, Beyond> & Partial<Pick<FullUser, Beyond>>

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: ({ signal }) => callApi(listUsers, { signal }, (body) => rowsOf<User>(body, 'users')),
})

/** The roles that a user of this role may assign, the most powerful first. */
export function rolesToGive(by: Role): Role[] {
  return roles.slice(0, roles.indexOf(by) + 1).reverse()
}

/** Whether a user of this role may change the other user's role; `undefined` is a new user. */
export function mayGiveRole(by: Role, user: User | undefined): boolean {
  return holds(by, 'users:manage') && (user?.role !== 'superadmin' || by === 'superadmin')
}

/**
 * Saves, and returns the server's status text if it has one. Users who save themselves may get another role, so it is
 * read again and stored.
 */
export async function saveUserChange(change: UserChange): Promise<string | undefined> {
  const status = await callApi(saveUser, { body: change }, (body) => textOf(body, 'status'))
  if (change.id && change.id === readSession()?.userId) await rereadRole(change.id)
  return status
}

async function rereadRole(id: number): Promise<void> {
  try {
    const role = await callApi(readUser, { params: { id: String(id) } }, (body) => textOf(body, 'role'))
    if (role) saveRole(role)
  } catch (fault) {
    // The user is saved, and the server applies the new role whatever is stored here.
    console.error(`user ${id}: ${String(fault)}`)
  }
}
