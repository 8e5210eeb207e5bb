import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { login } from '@sdd/contract/accounts/auth.ts'
import { createLinkCode, enableDevice } from '@sdd/contract/fleet/devices.ts'
import { route } from '@sdd/contract/core/route.ts'
import * as z from 'zod/mini'
import { openBodies } from './body.ts'
import { LIMITS } from './limits.ts'
import { startHttp } from './testing.ts'

const MAX_BODY_BYTES = LIMITS.body_bytes

const note = route('POST /api/note', {
  summary: 'Takes a note.',
  body: z.object({ text: z.string() }),
  reply: z.object({ length: z.int() }),
})

async function start(t: TestContext) {
  const server = await startHttp(t, (serve) => {
    serve(note, ({ body }) => ({ length: body.text.length }))
    serve(login, ({ body }) => ({
      access_token: `${body.username} ${body.password}`,
      token_type: 'bearer' as const,
      role: 'user' as const,
      id: 1,
    }))
    serve(enableDevice, ({ params }) => ({ uid: params.uid, enabled: true }))
    serve(createLinkCode, ({ body }) => ({
      id: 1,
      code: `${body.uses}`,
      uses: body.uses,
      expires_at: new Date().toISOString(),
    }))
  })
  const post = async (path: string, body?: RequestInit['body'], headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      body,
      headers: { authorization: 'Bearer admin-token', ...headers },
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    } as RequestInit)
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  return { ...server, post }
}

const JSON_BODY = { 'content-type': 'application/json' }
const bytes = (text: string) => new TextEncoder().encode(text)

test('JSON is taken with or without a charset, in any case', async (t) => {
  const { post } = await start(t)
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
  ]) {
    assert.deepEqual(await post('/api/note', '{"text":"ñ"}', { 'content-type': type }), {
      status: 200,
      body: { length: 1 },
    })
  }
})

test('a body that came in several pieces before it is read is read whole', async (t) => {
  const readBody = openBodies(LIMITS)
  const read = async (response: ServerResponse<IncomingMessage>) => {
    const { req } = response
    while (req.readableLength < Number(req.headers['content-length'])) await sleep(5)
    response.end(JSON.stringify(await readBody(note, response)))
  }
  const server = createServer((_request, response) => void read(response))
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const headers = { ...JSON_BODY, 'content-length': 20 }
  const asking = request({ port, method: 'POST', path: '/', headers, agent: false })
  const answered = once(asking, 'response') as Promise<[IncomingMessage]>
  for (const piece of ['{"text"', ':"abc', 'defghi"}']) {
    asking.write(piece)
    await sleep(20)
  }
  const [answer] = await answered
  assert.deepEqual(await json(answer), { text: 'abcdefghi' })
})

test('a body that came in one piece is read to its end, or Node would hold it until the next one comes', async (t) => {
  const { http, post } = await start(t)
  const ended = Promise.withResolvers<void>()
  http.server.prependListener('request', (request) => void request.once('end', ended.resolve))
  assert.equal((await post('/api/note', '{"text":"a"}', JSON_BODY)).status, 200)
  await Promise.race([
    ended.promise,
    sleep(5_000, undefined, { ref: false }).then(() => assert.fail('It has not ended.')),
  ])
})

test('a body of another or of no content type is 415', async (t) => {
  const { post } = await start(t)
  const others = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'json',
    'a/b; c',
  ]
  for (const type of others) {
    const { status, body } = await post('/api/note', bytes('{"text":"x"}'), { 'content-type': type })
    assert.deepEqual([status, body.code], [415, 'unsupported_media_type'], type)
  }
  assert.equal((await post('/api/note', bytes('{"text":"x"}'))).status, 415)
  assert.equal((await post('/api/note', '{}', { ...JSON_BODY, 'content-encoding': 'gzip' })).status, 415)
  const form = await post('/api/login', '{"username":"a","password":"b"}', JSON_BODY)
  assert.equal(form.status, 415)
  assert.match(form.body.detail, /application\/x-www-form-urlencoded/)
})

test('a body that is not JSON, not UTF-8, or empty is 400', async (t) => {
  const { post } = await start(t)
  const bodies = [
    '{"text":',
    'text',
    '{"text":"a","text":"b"}',
    '{"__proto__":{},"text":"a"}',
    '',
    '['.repeat(100_000),
  ]
  for (const written of [...bodies, Uint8Array.of(0x22, 0xc3, 0x28, 0x22), Uint8Array.of(0xff, 0xfe)]) {
    const { status, body } = await post('/api/note', written, JSON_BODY)
    assert.deepEqual([status, body.code], [400, 'malformed'], String(written).slice(0, 40))
  }
})

test('a body of 1 MiB is taken, and one byte more is 413, with its length declared or not', async (t) => {
  const { post } = await start(t)
  const sized = (size: number) => bytes(`{"text":"${'x'.repeat(size - 11)}"}`)
  const streamed = (size: number) => new Blob([sized(size)]).stream()
  for (const written of [sized(MAX_BODY_BYTES), streamed(MAX_BODY_BYTES)]) {
    assert.equal((await post('/api/note', written, JSON_BODY)).status, 200)
  }
  for (const written of [
    sized(MAX_BODY_BYTES + 1),
    streamed(MAX_BODY_BYTES + 1),
    sized(8 * MAX_BODY_BYTES),
    streamed(8 * MAX_BODY_BYTES),
  ]) {
    const { status, body } = await post('/api/note', written, JSON_BODY)
    assert.deepEqual([status, body.code], [413, 'too_large'])
  }
})

test('a form is read in UTF-8, with its charset said or not', async (t) => {
  const { post } = await start(t)
  const form = new URLSearchParams({ username: 'Núria', password: 'a+b &=%' })
  assert.equal((await post('/api/login', form)).body.access_token, 'Núria a+b &=%')
  const plain = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await post('/api/login', 'username=N%C3%BA&password=x+y', plain)).body.access_token, 'Nú x y')
  assert.equal((await post('/api/login', bytes('username=Nú&password=x'), plain)).body.access_token, 'Nú x')
})

test('a form with a field twice or missing is invalid by name, and a broken escape is 400', async (t) => {
  const { post } = await start(t)
  const plain = { 'content-type': 'application/x-www-form-urlencoded' }
  const twice = await post('/api/login', 'username=a&username=b&password=c', plain)
  assert.deepEqual([twice.status, twice.body.fields], [422, { username: 'is given more than once' }])
  const missing = await post('/api/login', 'username=a', plain)
  assert.deepEqual([missing.status, missing.body.fields], [422, { password: 'is required' }])
  assert.equal((await post('/api/login', 'username=%&password=c', plain)).status, 400)
  assert.equal((await post('/api/login', Uint8Array.of(0x61, 0x3d, 0xff), plain)).status, 400)
})

test('a route that wants a body says what it lacks when there is none', async (t) => {
  const { post } = await start(t)
  const { status, body } = await post('/api/note')
  assert.deepEqual([status, body.fields], [422, { text: 'is required' }])
  assert.equal((await post('/api/link-codes')).body.uses, 1)
  assert.equal((await post('/api/link-codes', '{"uses":3}', JSON_BODY)).body.uses, 3)
})

test('a route without a body ignores whatever comes as one', async (t) => {
  const { post, raw } = await start(t)
  const enabled = { status: 200, body: { uid: 'd-1', enabled: true } }
  assert.deepEqual(await post('/api/enable-device/d-1'), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', '', JSON_BODY), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', '{}', JSON_BODY), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', '{"broken', JSON_BODY), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', 'a=1', { 'content-type': 'text/plain' }), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', new Uint8Array(3 * MAX_BODY_BYTES)), enabled)
  const head =
    'POST /api/enable-device/d-1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\nConnection: close\r\n'
  assert.match(
    await raw(`${head}Content-Type: application/json\r\n\r\n`),
    /^HTTP\/1\.1 200 .*"enabled":true/s,
  )
})

test('a body that breaks off is not served', async (t) => {
  const { url, raw, http } = await start(t)
  const head =
    'POST /api/note HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer user-token\r\n' +
    'Content-Type: application/json\r\nContent-Length: 12\r\n\r\n'
  const arrived = once(http.server, 'request')
  const ended = raw(`${head}{"text"`)
  await arrived
  http.server.closeAllConnections()
  assert.equal(await ended, '')
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
})
