import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { SddError } from './client.ts'
import { withAccess } from './session.ts'

/** A server whose session ends after the first call of each login. It refuses more logins than `most`. */
async function serve(t: TestContext, most = Infinity) {
  const asked: string[] = []
  let logins = 0
  let calls = 0
  const server = createServer(({ url = '', headers }, response) => {
    const { authorization = '' } = headers
    asked.push(`${url} ${authorization}`.trim())
    if (url === '/api/login' && logins === most) response.writeHead(401).end('{}')
    else if (url === '/api/login') {
      calls = 0
      response.end(JSON.stringify({ access_token: `token-${++logins}` }))
    } else {
      const valid = authorization === `Bearer token-${logins}` && ++calls === 1
      response.writeHead(valid ? 200 : 401).end('{}')
    }
  }).listen(0, '127.0.0.1')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  await once(server, 'listening')
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const LOGIN = { username: 'ana', password: 'x' }

test('a person whose session has ended is logged in again', async (t) => {
  const { asked, url } = await serve(t)
  await withAccess({ url, key: undefined, login: LOGIN }, async (sdd) => {
    await sdd.request('GET', '/api/a')
    await sdd.request('POST', '/api/b', { body: {} })
  })
  assert.deepEqual(asked.slice(0, 5), [
    '/api/login',
    '/api/a Bearer token-1',
    '/api/b Bearer token-1',
    '/api/login',
    '/api/b Bearer token-2',
  ])
})

test('a login whose answer breaks off is a failure, and is not repeated', async (t) => {
  let logins = 0
  const server = createServer((_, response) => {
    logins++
    response.writeHead(200, { 'content-length': 100 })
    response.write('{', () => response.destroy())
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const used = withAccess({ url, key: undefined, login: LOGIN }, async () => {})
  await assert.rejects(used, { name: 'SddError', status: 0 })
  assert.equal(logins, 1)
})

test('calls at the same time share one login, and a refused one is not repeated', async (t) => {
  const { asked, url } = await serve(t, 2)
  await withAccess({ url, key: undefined, login: LOGIN }, async (sdd) => {
    await sdd.request('GET', '/api/a')
    const both = await Promise.allSettled([sdd.request('GET', '/api/b'), sdd.request('GET', '/api/c')])
    assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal(asked.filter((one) => one === '/api/login').length, 2)
    for (const path of ['/api/d', '/api/e'])
      await assert.rejects(sdd.request('GET', path), (error) => (error as SddError).status === 401)
  })
  assert.equal(asked.filter((one) => one === '/api/login').length, 3)
})

test('a login with a code is not repeated, because the code is valid once', async (t) => {
  const { asked, url } = await serve(t)
  const login = { ...LOGIN, code: '123456' }
  await withAccess({ url, key: undefined, login }, async (sdd) => {
    await sdd.request('GET', '/api/a')
    await assert.rejects(sdd.request('GET', '/api/b'), (error) => (error as SddError).status === 401)
  })
  assert.equal(asked.filter((one) => one === '/api/login').length, 1)
})
