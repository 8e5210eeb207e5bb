import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changePassword } from '@sdd/contract/accounts/auth.ts'
import { enter, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

test('a password of up to 256 characters of any kind is used exactly as typed', async (t) => {
  const server = await startServer()
  t.after(() => server.stop())
  const superadmin = await enter(server, ADMIN.username, ADMIN.password)
  const { name, token } = await newUser(server, superadmin.token)
  const others = [
    'nothing but letters',
    '\u6f22\u5b57 \u{1f510} \u00f1\u00e7 \t "quoted" ',
    `${'aB'.repeat(127)} z`,
  ]
  let now = PASSWORD
  for (const next of others) {
    const body = { password: now, new_password: next }
    assert.equal((await call(server, changePassword, { token, body })).status, 204, next)
    for (const nearly of [next.trimEnd().slice(0, -1), next.toUpperCase(), `${next} `])
      assert.equal((await enter(server, name, nearly)).status, 401, JSON.stringify(nearly))
    assert.equal((await enter(server, name, next)).status, 200, next)
    now = next
  }
})
