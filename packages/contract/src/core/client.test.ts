import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { login, logout } from '@sdd/contract/accounts/auth.ts'
import { listUsers } from '@sdd/contract/accounts/users.ts'
import { CallFault, openClient, textOf } from './client.ts'

let url = ''
let answer: { status: number; body: string; headers?: Record<string, string> } = { status: 200, body: '' }
const asked: { headers: Record<string, unknown>; body: string }[] = []
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += String(chunk)))
  request.on('end', () => {
    asked.push({ headers: request.headers, body })
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
})

before(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => server.close())

async function faultOf(given: typeof answer): Promise<CallFault> {
  answer = given
  const fault = await openClient({ url })
    .call(listUsers)
    .catch((error: unknown) => error)
  assert.ok(fault instanceof CallFault)
  return fault
}

test('a refusal has the code, the fields and the sentence of the server', async () => {
  const field_codes = { name: { code: 'required', params: {} } }
  const body = JSON.stringify({
    detail: 'It is off.',
    code: 'invalid',
    params: { of: 1 },
    fields: { name: 'is missing', n: 3 },
    field_codes: { ...field_codes, n: 3 },
  })
  const fault = await faultOf({ status: 422, body, headers: { 'retry-after': '7' } })
  assert.deepEqual(
    [fault.status, fault.message, fault.code, fault.fields, fault.retry_after_secs],
    [422, 'It is off.', 'invalid', { name: 'is missing' }, 7],
  )
  assert.deepEqual([fault.params, fault.field_codes], [{ of: 1 }, field_codes])
})

test("every status from 400 is a refusal, with the server's sentence if there is one", async () => {
  for (const status of [400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 507]) {
    const worded = await faultOf({ status, body: `{"detail":"It says ${status}."}` })
    assert.deepEqual([worded.status, worded.message], [status, `It says ${status}.`])
    for (const body of ['', '<html>', '"text"', 'null']) {
      const { message, code } = await faultOf({ status, body })
      assert.deepEqual([message, code], [`${url} answered ${status}`, ''], body)
    }
  }
})

test('a success that is not JSON is blamed on a proxy in front of the server', async () => {
  for (const body of ['<html>', '{"users": ['])
    assert.equal((await faultOf({ status: 200, body })).status, 502)
})

test('a server that does not answer is status 0', async () => {
  const fault = await openClient({ url: 'http://127.0.0.1:1' })
    .call(listUsers)
    .catch((error: unknown) => error)
  assert.ok(fault instanceof CallFault && fault.status === 0)
})

test('open routes get no token, and a form is written as one', async () => {
  answer = { status: 401, body: '{}' }
  const client = openClient({ url, token: 'secret' })
  await assert.rejects(client.call(login, { body: { username: 'a', password: 'b c' } }))
  assert.equal(asked.at(-1)?.headers.authorization, undefined)
  assert.equal(asked.at(-1)?.body, 'username=a&password=b+c')
  await assert.rejects(client.call(listUsers))
  assert.equal(asked.at(-1)?.headers.authorization, 'Bearer secret')
})

test('a route without a reply can be called as well', async () => {
  answer = { status: 204, body: '' }
  const before = asked.length
  assert.equal(await openClient({ url, token: 'secret' }).call(logout), undefined)
  assert.equal(asked.length, before + 1)
})

test('only a non-empty text counts as a text', () => {
  assert.equal(textOf({ status: '' }, 'status'), undefined)
  assert.equal(textOf({ status: 3 }, 'status'), undefined)
  assert.equal(textOf(null, 'status'), undefined)
})
