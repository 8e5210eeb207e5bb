import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { login } from '@sdd/contract/accounts/auth.ts'
import { createLinkCode, enableDevice } from '@sdd/contract/fleet/devices.ts'
import { route } from '@sdd/contract/core/route.ts'
import * as z from 'zod/mini'
import { LIMITS } from './limits.ts'
import { startHttp } from './testing.ts'

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
      language: null,
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
    })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  return { ...server, post }
}

const JSON_BODY = { 'content-type': 'application/json' }
const bytes = (text: string) => new TextEncoder().encode(text)

test('an unreadable body is refused with the contract’s error code', async (t) => {
  const { post } = await start(t)
  const sized = (size: number) => bytes(`{"text":"${'x'.repeat(size - 11)}"}`)
  for (const [body, headers, status, code] of [
    ['{"text":"a","text":"b"}', JSON_BODY, 400, 'malformed'],
    ['{"text":"x"}', { 'content-type': 'json' }, 415, 'unsupported_media_type'],
    [sized(LIMITS.body_bytes + 1), JSON_BODY, 413, 'too_large'],
  ] as const) {
    const refused = await post('/api/note', body, headers)
    assert.deepEqual([refused.status, refused.body.code], [status, code])
  }
  assert.equal((await post('/api/note', sized(LIMITS.body_bytes), JSON_BODY)).status, 200)
})

test('a route without a session accepts only smaller bodies', async (t) => {
  const { post } = await start(t)
  const form = (size: number) => new URLSearchParams({ username: 'a', password: 'x'.repeat(size) })
  assert.equal((await post('/api/login', form(LIMITS.stranger_body_bytes))).status, 413)
})

test('the error for a duplicate or missing form field names the field', async (t) => {
  const { post } = await start(t)
  const plain = { 'content-type': 'application/x-www-form-urlencoded' }
  const twice = await post('/api/login', 'username=a&username=b&password=c', plain)
  assert.deepEqual([twice.status, twice.body.fields], [422, { username: 'is given more than once' }])
  const missing = await post('/api/login', 'username=a', plain)
  assert.deepEqual([missing.status, missing.body.fields], [422, { password: 'is required' }])
  assert.equal(
    (await post('/api/login', new URLSearchParams({ username: 'Nú', password: 'a+b &=%' }))).body
      .access_token,
    'Nú a+b &=%',
  )
})

test('without a body, a route that needs one names the missing fields', async (t) => {
  const { post } = await start(t)
  const { status, body } = await post('/api/note')
  assert.deepEqual([status, body.fields], [422, { text: 'is required' }])
  assert.equal((await post('/api/link-codes')).body.uses, 1)
  assert.equal((await post('/api/link-codes', '{"uses":3}', JSON_BODY)).body.uses, 3)
})

test('a route without a body ignores any body', async (t) => {
  const { post, raw } = await start(t)
  const enabled = { status: 200, body: { uid: 'd-1', enabled: true } }
  assert.deepEqual(await post('/api/enable-device/d-1'), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', '', JSON_BODY), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', '{}', JSON_BODY), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', '{"broken', JSON_BODY), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', 'a=1', { 'content-type': 'text/plain' }), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', bytes('x'), { 'content-type': 'json' }), enabled)
  assert.deepEqual(await post('/api/enable-device/d-1', new Uint8Array(3 * LIMITS.body_bytes)), enabled)
  const head =
    'POST /api/enable-device/d-1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin-token\r\nConnection: close\r\n'
  assert.match(
    await raw(`${head}Content-Type: application/json\r\n\r\n`),
    /^HTTP\/1\.1 200 .*"enabled":true/s,
  )
})

test('an unknown field is named, even if every object has a property of its name', async (t) => {
  const { post } = await start(t)
  for (const name of ['constructor', 'toString', 'valueOf', 'hasOwnProperty']) {
    const { status, body } = await post('/api/link-codes', JSON.stringify({ [name]: 1 }), JSON_BODY)
    assert.deepEqual([status, body.code], [422, 'invalid'], name)
    assert.deepEqual(body.field_codes, { [name]: { code: 'unknown_field', params: {} } })
    assert.equal(body.detail, `What was sent is not valid. ${name}: is not known here.`)
  }
})
