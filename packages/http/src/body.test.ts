import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBodyReader } from './body.ts'
import { JSON_TYPE } from './json.ts'
import { LIMITS } from './limits.ts'
import { startHttpServer } from './testing.ts'

const MAX_BYTES = 1024 * 1024
const AS_JSON = { type: 'application/json', max_bytes: MAX_BYTES } as const
const AS_FORM = { type: 'application/x-www-form-urlencoded', max_bytes: MAX_BYTES } as const

/** A server that answers with the body it read. */
async function start(t: TestContext) {
  const server = await startHttpServer(t, ({ readBody }) => {
    const echo =
      (body: typeof AS_JSON | typeof AS_FORM) => async (response: ServerResponse<IncomingMessage>) => ({
        status: 200,
        type: JSON_TYPE,
        body: JSON.stringify(await readBody(response, body)),
      })
    return {
      'POST /json': ({ response }) => echo(AS_JSON)(response),
      'POST /form': ({ response }) => echo(AS_FORM)(response),
      'GET /one': () => ({ status: 200, body: 'first' }),
    }
  })
  const post = async (path: string, body?: RequestInit['body'], headers: Record<string, string> = {}) => {
    const streamed = body instanceof ReadableStream && { duplex: 'half' }
    const asked = { method: 'POST', body, headers, ...streamed } as RequestInit
    const response = await fetch(server.url + path, asked)
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  return { ...server, post }
}

const JSON_BODY = { 'content-type': 'application/json' }
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' }
const bytes = (text: string) => new TextEncoder().encode(text)

test('JSON is accepted with or without a charset, in any case', async (t) => {
  const { post } = await start(t)
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
  ]) {
    assert.deepEqual(await post('/json', '{"text":"ñ"}', { 'content-type': type }), {
      status: 200,
      body: { text: 'ñ' },
    })
  }
})

test('a body that arrives in several pieces before it is read is read whole', async (t) => {
  const readBody = openBodyReader(LIMITS)
  const read = async (response: ServerResponse<IncomingMessage>) => {
    const { req } = response
    while (req.readableLength < Number(req.headers['content-length'])) await sleep(5)
    response.end(JSON.stringify(await readBody(response, AS_JSON)))
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

test('a body that arrives in one piece is read to its end, or Node would hold it until the next one comes', async (t) => {
  const { http, post } = await start(t)
  const ended = Promise.withResolvers<void>()
  http.server.prependListener('request', (request) => void request.once('end', ended.resolve))
  assert.equal((await post('/json', '{"text":"a"}', JSON_BODY)).status, 200)
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
    const { status, body } = await post('/json', bytes('{"text":"x"}'), { 'content-type': type })
    assert.deepEqual([status, body.code], [415, 'unsupported_media_type'], type)
  }
  assert.equal((await post('/json', bytes('{"text":"x"}'))).status, 415)
  assert.equal((await post('/json', '{}', { ...JSON_BODY, 'content-encoding': 'gzip' })).status, 415)
  const form = await post('/form', '{"username":"a","password":"b"}', JSON_BODY)
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
    const { status, body } = await post('/json', written, JSON_BODY)
    assert.deepEqual([status, body.code], [400, 'malformed'], String(written).slice(0, 40))
  }
})

test('a body of the largest size is accepted, and one byte more is 413, with or without a declared length', async (t) => {
  const { post } = await start(t)
  const sized = (size: number) => bytes(`{"text":"${'x'.repeat(size - 11)}"}`)
  const streamed = (size: number) => new Blob([sized(size)]).stream()
  for (const written of [sized(MAX_BYTES), streamed(MAX_BYTES)]) {
    assert.equal((await post('/json', written, JSON_BODY)).status, 200)
  }
  for (const written of [
    sized(MAX_BYTES + 1),
    streamed(MAX_BYTES + 1),
    sized(8 * MAX_BYTES),
    streamed(8 * MAX_BYTES),
  ]) {
    const { status, body } = await post('/json', written, JSON_BODY)
    assert.deepEqual([status, body.code], [413, 'too_large'])
  }
})

test('a form is read in UTF-8, with or without a charset', async (t) => {
  const { post } = await start(t)
  const form = { username: 'Núria', password: 'a+b &=%' }
  assert.deepEqual((await post('/form', new URLSearchParams(form))).body, form)
  const short = { username: 'Nú', password: 'x y' }
  assert.deepEqual((await post('/form', 'username=N%C3%BA&password=x+y', FORM_BODY)).body, short)
  assert.deepEqual((await post('/form', bytes('username=Nú&password=x+y'), FORM_BODY)).body, short)
})

test('a form with a broken escape, or not in UTF-8, is 400', async (t) => {
  const { post } = await start(t)
  assert.equal((await post('/form', 'username=%&password=c', FORM_BODY)).status, 400)
  assert.equal((await post('/form', Uint8Array.of(0x61, 0x3d, 0xff), FORM_BODY)).status, 400)
})

test('a request without a body reads as the empty object', async (t) => {
  const { post } = await start(t)
  assert.deepEqual(await post('/json'), { status: 200, body: {} })
  assert.deepEqual(await post('/form'), { status: 200, body: {} })
})

test('bodies that are being read share a limit: beyond it, one more is 503', async (t) => {
  const server = await startHttpServer(
    t,
    ({ readBody }) => ({
      'POST /json': async ({ response }) => {
        await readBody(response, AS_JSON)
        return { status: 200 }
      },
    }),
    { limits: { bodies_bytes: 1_000 } },
  )
  const post = (size: number) =>
    server.raw(
      `POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n` +
        `Connection: close\r\n\r\n${'1'.repeat(size)}`,
    )
  assert.match(await post(900), /^HTTP\/1\.1 200 /)
  assert.match(await post(1_100), /^HTTP\/1\.1 503 .*^Retry-After: 1\r$.*"busy"/ims)
  assert.match(await post(900), /^HTTP\/1\.1 200 /)
})

test('an incomplete body is not served', async (t) => {
  const { url, raw, http } = await start(t)
  const head =
    'POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n'
  const arrived = once(http.server, 'request')
  const ended = raw(`${head}{"text"`)
  await arrived
  http.server.closeAllConnections()
  assert.equal(await ended, '')
  assert.equal((await fetch(`${url}/one`)).status, 200)
})
