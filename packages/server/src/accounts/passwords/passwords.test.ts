import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPasswords, PASSWORD_COST } from './passwords.ts'

const PASSWORD = 'correct horse battery'
const CHEAPEST = { memory: 8, passes: 1, parallelism: 1 }

test('a password is stored as Argon2id at the cost that OWASP names, each time with another salt', async () => {
  const { hash } = openPasswords(PASSWORD_COST)
  const [first, second] = [await hash(PASSWORD), await hash(PASSWORD)]
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.notEqual(first, second)
  assert.doesNotMatch(first, /correct|horse|battery/)
})

test('only the password that was hashed is right, to the letter; without a hash none is', async () => {
  const { hash, isRight } = openPasswords(PASSWORD_COST)
  const stored = await hash(PASSWORD)
  assert.ok(await isRight(PASSWORD, stored))
  for (const nearly of ['', PASSWORD.slice(1), `${PASSWORD} `, PASSWORD.toUpperCase()])
    assert.ok(!(await isRight(nearly, stored)), nearly)
  assert.ok(!(await isRight(PASSWORD, undefined)))
})

test('a hash is checked at its own cost, whatever new hashes cost', async () => {
  const [dear, cheap] = [openPasswords(PASSWORD_COST), openPasswords(CHEAPEST)]
  assert.ok(await cheap.isRight(PASSWORD, await dear.hash(PASSWORD)))
  assert.ok(await dear.isRight(PASSWORD, await cheap.hash(PASSWORD)))
})
