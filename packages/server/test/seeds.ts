import * as auth from '@sdd/contract/accounts/auth.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { call } from './server.ts'

export const PASSWORD = 'long enough 123'

/** Logs in; the test checks the status. */
export async function enter(server: { url: string }, username: string, password = PASSWORD, code?: string) {
  const given = { username, password, ...(code !== undefined && { code }) }
  const { status, body } = await call(server, auth.login, { body: given })
  return { status, token: body.access_token, id: body.id, role: body.role }
}

let count = 0

/** The fields of a new, unique user. */
export function someone<More extends Record<string, unknown>>(more: More = {} as More) {
  const name = `someone ${++count}`
  return { name, email: `s${count}@example.com`, role: 'user', password: PASSWORD, ...more }
}

/** The password from the user's creator; the user changes it to `PASSWORD`. */
export const FIRST_PASSWORD = 'for the first day'

/** Logs in a user whose password someone else set, and changes it. */
export async function enterFirst(
  server: { url: string },
  username: string,
  given = FIRST_PASSWORD,
  own = PASSWORD,
) {
  const session = await enter(server, username, given)
  const body = { password: given, new_password: own }
  const changed = await call(server, auth.changePassword, { token: session.token, body })
  if (changed.status !== 204) throw new Error(`The password stays: ${JSON.stringify(changed.body)}`)
  return session
}

/** A new user created with this token, logged in with their own password. */
export async function newUser(server: { url: string }, token: string, more: Record<string, unknown> = {}) {
  const person = someone(more)
  const made = { ...person, password: FIRST_PASSWORD }
  const saved = await call(server, users.saveUser, { token, body: made })
  if (saved.status !== 201) throw new Error(`No user was made: ${JSON.stringify(saved.body)}`)
  const session = await enterFirst(server, person.name)
  return { ...person, id: session.id, token: session.token }
}
