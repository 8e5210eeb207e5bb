import * as auth from '@sdd/contract/auth.ts'
import * as users from '@sdd/contract/users.ts'
import { call } from './server.ts'

export const PASSWORD = 'long enough 123'

/** Logs in; the test says which status it expects. */
export async function enter(server: { url: string }, username: string, password = PASSWORD) {
  const { status, body } = await call(server, auth.login, { body: { username, password } })
  return { status, token: body.access_token, id: body.id, role: body.role }
}

let count = 0

/** What makes a new user, unlike any other. */
export function someone<More extends Record<string, unknown>>(more: More = {} as More) {
  const name = `someone ${++count}`
  return { name, email: `s${count}@example.com`, role: 'user', password: PASSWORD, ...more }
}

/** A new user, made by the holder of the token and logged in. */
export async function newUser(server: { url: string }, token: string, more: Record<string, unknown> = {}) {
  const person = someone(more)
  const saved = await call(server, users.saveUser, { token, body: person })
  if (saved.status !== 201) throw new Error(`No user was made: ${JSON.stringify(saved.body)}`)
  const session = await enter(server, person.name)
  return { ...person, id: session.id, token: session.token }
}
