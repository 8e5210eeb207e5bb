import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { LinkRequest } from '@sdd/contract/fleet/devices.ts'
import { linkFleet } from '#simulator/link.ts'
import { temporaryFolder } from '#test/fleet.ts'

type Asked = { path: string; authorization: string | undefined; body: LinkRequest & { uses?: number } }

/** The two routes that linking needs, as the contract defines them. */
async function openLinkServer(
  t: TestContext,
  refuse: (asked: Asked) => object | undefined = () => undefined,
) {
  const asked: Asked[] = []
  async function read(request: IncomingMessage): Promise<Asked> {
    const { authorization } = request.headers
    return { path: request.url!, authorization, body: (await json(request)) as Asked['body'] }
  }
  const server = createServer((request, response) => {
    void read(request).then((one) => {
      asked.push(one)
      const refusal = refuse(one)
      const { uid } = one.body
      const linked = { uid, secret: `secret of ${uid}`, mqtt_url: 'mqtt://127.0.0.1:1', acks: 'puback' }
      const code = { id: 1, code: 'MADE', uses: one.body.uses, expires_at: '2026-01-31T09:30:00.000Z' }
      const answer = one.path.endsWith('/link') ? linked : code
      response.writeHead(refusal ? 409 : 201, { 'content-type': 'application/json' })
      response.end(JSON.stringify(refusal ?? answer))
    })
  })
  t.after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const server_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, server_url, path: join(temporaryFolder(t), 'accounts.jsonl') }
}

test('a fleet is linked with a code, and only the owner can read its secrets', async (t) => {
  const { asked, ...server } = await openLinkServer(t)
  const locations = ['Madrid', 'Vigo']
  const devices = await linkFleet({ ...server, code: 'CODE', count: 3, prefix: 'demo-', locations })
  assert.deepEqual(
    devices.map(({ uid, secret }) => [uid, secret]),
    ['demo-0001', 'demo-0002', 'demo-0003'].map((uid) => [uid, `secret of ${uid}`]),
  )
  assert.deepEqual(
    asked.map(({ path, body }) => [path, body.code, body.uid, body.location].join(' ')).toSorted(),
    [
      '/api/devices/link CODE demo-0001 Madrid',
      '/api/devices/link CODE demo-0002 Vigo',
      '/api/devices/link CODE demo-0003 Madrid',
    ],
  )
  assert.equal(statSync(server.path).mode & 0o777, 0o600)
})

test('a restart uses the same devices and links only the missing ones', async (t) => {
  const { asked, ...server } = await openLinkServer(t)
  const first = await linkFleet({ ...server, code: 'CODE', count: 2, prefix: 'demo-' })
  const same = await linkFleet({ ...server, count: 2, prefix: 'demo-' })
  assert.deepEqual(same, first)
  assert.equal(asked.length, 2)
  await linkFleet({ ...server, code: 'CODE', count: 3, prefix: 'demo-' })
  assert.equal(asked.length, 3)
  assert.equal(asked[2]?.body.uid, 'demo-0003')
})

test('with an access token the code is created first, with as many uses as needed', async (t) => {
  const { asked, ...server } = await openLinkServer(t)
  await linkFleet({ ...server, token: 'TOKEN', count: 2, prefix: 'demo-' })
  const [made, ...linked] = asked
  assert.deepEqual([made?.path, made?.authorization, made?.body.uses], ['/api/link-codes', 'Bearer TOKEN', 2])
  assert.deepEqual(
    linked.map(({ body }) => body.code),
    ['MADE', 'MADE'],
  )
})

test('without a code or token the error says that a link code is needed', async (t) => {
  const server = await openLinkServer(t)
  await assert.rejects(linkFleet({ ...server, count: 2, prefix: 'demo-' }), {
    message: 'Not linked yet: 2 of 2 devices; a link code is needed',
  })
})

test('a taken uid is named with the remedy; devices linked before are kept', async (t) => {
  const taken = { detail: 'That uid is taken', code: 'uid_taken' }
  const server = await openLinkServer(t, ({ body }) => (body.uid === 'demo-0003' ? taken : undefined))
  await assert.rejects(linkFleet({ ...server, code: 'CODE', count: 3, prefix: 'demo-' }), {
    message: `Cannot link demo-0003: That uid is taken (${server.path} has no secret for it: unlink demo-0003 on the server, or use another prefix)`,
  })
  const [first] = readFileSync(server.path, 'utf8').split('\n')
  assert.equal((JSON.parse(first!) as { uid: string }).uid, 'demo-0001')
})

test('a server that does not answer is named', async (t) => {
  const path = join(temporaryFolder(t), 'accounts.jsonl')
  const needs = { server_url: 'http://127.0.0.1:9', code: 'CODE', count: 1, prefix: 'demo-', path }
  await assert.rejects(linkFleet(needs), {
    message: 'Cannot link demo-0001: http://127.0.0.1:9 does not answer',
  })
})

test('a damaged file of accounts is refused, with its line', async (t) => {
  const server = await openLinkServer(t)
  writeFileSync(server.path, '{"uid":"demo-0001"}\n')
  await assert.rejects(linkFleet({ ...server, code: 'CODE', count: 1, prefix: 'demo-' }), {
    message: `${server.path} is damaged: line 1 is not a linked device`,
  })
})
