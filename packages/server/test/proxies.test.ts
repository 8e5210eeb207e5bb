import assert from 'node:assert/strict'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { ADMIN, call, startServer } from './server.ts'

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

test('behind a proxy each address has its own failures, and cannot shift them to another', async (t) => {
  const login = await begin(t, '127.0.0.1, 10.0.0.0/8')
  for (let n = 0; n < 50; n++) assert.equal(await login(`192.0.2.${n}, 198.51.100.1, 10.1.2.3`), 401)
  assert.equal(await login('192.0.2.200, 198.51.100.1'), 429)
  assert.equal(await login('198.51.100.2'), 401)
  assert.equal(await login('192.0.2.1'), 401)
})

test('a device that links through a TLS proxy gets that proxy’s address for MQTT, and without a proxy the header is ignored', async (t) => {
  for (const [PROXIES, expected] of [
    ['127.0.0.1', /^wss:\/\/sms\.example\.org:8443\/mqtt$/],
    ['10.0.0.0/8', /^mqtt:\/\/sms\.example\.org:\d+$/],
  ] as const) {
    const server = await startServer({ settings: { PROXIES } })
    t.after(() => server.stop())
    const token = (await call(server, auth.login, { body: ADMIN })).body.access_token
    const { code } = (await call(server, devices.createLinkCode, { token, body: {} })).body
    const { mqtt_url } = await linkAs(server.url, code, 'sms.example.org:8443')
    assert.match(mqtt_url, expected)
  }
})

/** `fetch` sets the Host header itself. */
function linkAs(url: string, code: string, host: string): Promise<{ mqtt_url: string }> {
  const headers = { host, 'content-type': 'application/json', 'x-forwarded-proto': 'https' }
  return new Promise((resolve, reject) => {
    const asking = request(`${url}/api/devices/link`, { method: 'POST', headers }, (answer) => {
      void json(answer).then((body) => resolve(body as { mqtt_url: string }), reject)
    })
    asking.on('error', reject).end(JSON.stringify({ code }))
  })
}
