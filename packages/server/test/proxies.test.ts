import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startServer } from './server.ts'

async function begin(t: TestContext, PROXIES: string) {
  const server = await startServer({ settings: { PROXIES } })
  t.after(() => server.stop())
  return async (from: string, password = 'wrong') => {
    const answer = await fetch(`${server.url}/api/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: `someone ${Math.random()}`, password }),
      headers: { 'x-forwarded-for': from },
    })
    return answer.status
  }
}

test('behind a proxy each address has its own failures, and cannot put them on another', async (t) => {
  const login = await begin(t, '127.0.0.1, 10.0.0.0/8')
  for (let n = 0; n < 50; n++) assert.equal(await login(`192.0.2.${n}, 198.51.100.1, 10.1.2.3`), 401)
  assert.equal(await login('192.0.2.200, 198.51.100.1'), 429)
  assert.equal(await login('198.51.100.2'), 401)
  assert.equal(await login('192.0.2.1'), 401)
})
