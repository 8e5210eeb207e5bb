import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdParam } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import * as z from 'zod/mini'
import type { Caller } from '#server/core/context.ts'
import { fault } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'
import { type Serve, withOtherStatus } from './serve.ts'
import { callers, startHttp } from './testing.ts'

const readDevice = route('GET /api/device/:uid', {
  summary: 'A device.',
  params: z.object({ uid: z.string() }),
  reply: z.object({ uid: z.string() }),
})
const saveLimit = route('POST /api/limit', {
  summary: 'Saves a limit.',
  may: 'settings:write',
  query: z.object({ company: z.optional(IdParam) }),
  body: z.object({
    uid: z.string().check(z.minLength(1, 'is empty')),
    limits: z._default(z.array(z.object({ most: z.int().check(z.lte(100)) })), []),
  }),
  reply: z.object({ company: z.nullable(z.int()), uid: z.string() }),
})
const link = route('POST /api/link', {
  summary: 'Links.',
  may: 'anyone',
  body: z.object({ code: z.string() }),
  reply: z.object({ code: z.string() }),
  status: 201,
  otherStatus: 200,
})
const unlink = route('DELETE /api/device/:uid', {
  summary: 'Unlinks.',
  params: z.object({ uid: z.string() }),
})

type Asking = { token?: string; body?: unknown; headers?: Record<string, string> }

/** Sends a request with a session of this role unless it says otherwise. The body is sent as JSON. */
function asker(url: string) {
  return async (where: string, { token = 'admin-token', body, headers = {} }: Asking = {}) => {
    const [method, path] = where.split(' ') as [string, string]
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text ? JSON.parse(text) : undefined,
    }
  }
}

async function start(t: Parameters<typeof startHttp>[0], routes: (serve: Serve) => void) {
  const server = await startHttp(t, routes)
  return { ...server, ask: asker(server.url) }
}

test('a route gets the parsed request and the caller', async (t) => {
  const seen: unknown[] = []
  const { ask } = await start(t, (serve) => {
    serve(saveLimit, ({ params, query, body, caller, address, host }) => {
      seen.push({ params, query, body, caller, address, host })
      return { company: query.company ?? null, uid: body.uid }
    })
  })
  const { status, body, headers } = await ask('POST /api/limit?company=7&unknown=1', {
    body: { uid: 'd-1', other: 1 },
  })
  assert.deepEqual([status, body], [200, { company: 7, uid: 'd-1' }])
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(seen, [
    {
      params: undefined,
      query: { company: 7 },
      body: { uid: 'd-1', limits: [] },
      caller: { ...callers['admin-token'], address: '127.0.0.1' },
      address: '127.0.0.1',
      host: '127.0.0.1',
    },
  ])
})

test('the types know the caller, which is undefined if the route is for anyone', async (t) => {
  const { ask } = await start(t, (serve) => {
    serve(readDevice, ({ params, caller }) => {
      const certain: Caller = caller
      return { uid: `${params.uid} of ${certain.name}` }
    })
    serve(link, ({ body, caller }) => {
      const nobody: undefined = caller
      return { code: `${body.code} of ${nobody}` }
    })
  })
  assert.deepEqual((await ask('GET /api/device/a%2Fb%20%C3%B1')).body, { uid: 'a/b ñ of admin' })
  const joined = await ask('POST /api/link', { body: { code: 'x' } })
  assert.deepEqual([joined.status, joined.body], [201, { code: 'x of undefined' }])
})

test('without a valid session, the response is 401 and says to log in again', async (t) => {
  const { ask } = await start(t, (serve) => serve(readDevice, ({ params }) => params))
  const requests: Asking[] = [
    { token: '' },
    { token: 'nobody-token' },
    { token: '', headers: { authorization: 'Basic YWRtaW46YWRtaW4=' } },
    { token: '', headers: { authorization: 'Bearer' } },
    { token: '', headers: { authorization: 'admin-token' } },
    { token: '', headers: { authorization: 'Bearer admin-token admin-token' } },
  ]
  for (const request of requests) {
    const { status, body, headers } = await ask('GET /api/device/d-1', request)
    assert.equal(status, 401)
    assert.equal(body.code, 'unauthorized')
    assert.match(body.detail, /log in again/)
    assert.deepEqual(Object.keys(body), ['detail', 'code', 'params'])
    assert.equal(headers.get('www-authenticate'), 'Bearer')
  }
  const lower = await ask('GET /api/device/d-1', {
    token: '',
    headers: { authorization: 'bearer admin-token' },
  })
  assert.equal(lower.status, 200)
})

test('a caller without permission does not learn the faults of the request', async (t) => {
  const { ask } = await start(t, (serve) => serve(saveLimit, () => assert.fail('it was served')))
  const wrong = { body: { uid: 3 } }
  assert.equal((await ask('POST /api/limit', { ...wrong, token: '' })).status, 401)
  const { status, body } = await ask('POST /api/limit', { ...wrong, token: 'user-token' })
  assert.deepEqual([status, body.code], [403, 'forbidden'])
  assert.match(body.detail, /user/)
  assert.equal((await ask('POST /api/limit', wrong)).status, 422)
  assert.equal(
    (await ask('POST /api/limit', { token: '', headers: { 'content-type': 'text/csv' } })).status,
    401,
  )
})

test('all invalid fields are named at once, each with its reason', async (t) => {
  const { ask } = await start(t, (serve) => serve(saveLimit, () => assert.fail('it was served')))
  const { status, body } = await ask('POST /api/limit?company=first', {
    body: { limits: [{ most: 1 }, { most: 101 }] },
  })
  assert.deepEqual([status, body.code], [422, 'invalid'])
  assert.deepEqual(Object.keys(body), ['detail', 'code', 'params', 'fields', 'field_codes'])
  assert.deepEqual(body.fields, {
    company: 'must be a positive whole number',
    uid: 'is required',
    'limits.1.most': 'Too big: expected number to be <=100',
  })
  assert.deepEqual(body.field_codes, {
    company: { code: 'bad_format', params: {} },
    uid: { code: 'required', params: {} },
    'limits.1.most': { code: 'out_of_range', params: { min: null, max: 100 } },
  })
  assert.match(body.detail, /uid: is required/)

  const empty = await ask('POST /api/limit', { body: { uid: '' } })
  assert.deepEqual(empty.body.fields, { uid: 'is empty' })
  const list = await ask('POST /api/limit', { body: [] })
  assert.deepEqual(Object.keys(list.body.fields), ['body'])
  const none = await ask('POST /api/limit', { body: null })
  assert.deepEqual(Object.keys(none.body.fields), ['body'])
})

test('the error for a duplicate query parameter names it; an unknown parameter is ignored', async (t) => {
  const { ask } = await start(t, (serve) =>
    serve(saveLimit, ({ body }) => ({ company: null, uid: body.uid })),
  )
  const twice = await ask('POST /api/limit?company=1&company=2', { body: { uid: 'd' } })
  assert.equal(twice.status, 422)
  assert.deepEqual(twice.body.fields, { company: 'is given more than once' })
  assert.equal(
    (await ask('POST /api/limit?x=1&x=2&__proto__=3&constructor=4', { body: { uid: 'd' } })).status,
    200,
  )
  assert.equal((await ask('POST /api/limit?company=%C3%28', { body: { uid: 'd' } })).status, 400)
})

test('a route without a reply answers 204 without a body', async (t) => {
  const { ask } = await start(t, (serve) => serve(unlink, () => {}))
  const { status, text, headers } = await ask('DELETE /api/device/d-1')
  assert.deepEqual([status, text, headers.get('content-type')], [204, '', null])
})

test('a route can answer with its second success status', async (t) => {
  const { ask } = await start(t, (serve) =>
    serve(link, ({ body }) => (body.code === 'again' ? withOtherStatus({ code: 'again' }) : body)),
  )
  assert.equal((await ask('POST /api/link', { body: { code: 'new' } })).status, 201)
  const again = await ask('POST /api/link', { body: { code: 'again' } })
  assert.deepEqual([again.status, again.body], [200, { code: 'again' }])
})

test('fields outside the contract are not sent, and a reply that breaks the contract is an internal error', async (t) => {
  const { ask, logged } = await start(t, (serve) =>
    serve(readDevice, ({ params: { uid } }) => ({
      uid: uid === 'bad' ? (3 as never) : uid,
      secret_hash: 'leaked',
    })),
  )
  assert.equal((await ask('GET /api/device/d-1')).text, '{"uid":"d-1"}')
  const { status, body } = await ask('GET /api/device/bad')
  assert.deepEqual([status, body.code], [500, 'internal'])
  assert.match(logged(), /expected string, received number/)
})

test('a refusal is answered with its code, the status from the table, its fields and Retry-After', async (t) => {
  const { ask } = await start(t, (serve) =>
    serve(readDevice, ({ params }): never => {
      if (params.uid === 'late') {
        const facts = { retry_after: 60 }
        throw new Refusal('too_many_attempts', 'Later.', { params: facts, retry_after_secs: 59.2 })
      }
      throw new Refusal('invalid', 'No.', { fields: { uid: fault('is taken', 'taken', {}) } })
    }),
  )
  const late = await ask('GET /api/device/late')
  assert.deepEqual(
    [late.status, late.body],
    [429, { detail: 'Later.', code: 'too_many_attempts', params: { retry_after: 60 } }],
  )
  assert.equal(late.headers.get('retry-after'), '60')
  const taken = await ask('GET /api/device/d-1')
  assert.deepEqual(
    [taken.status, taken.body],
    [
      422,
      {
        detail: 'No.',
        code: 'invalid',
        params: {},
        fields: { uid: 'is taken' },
        field_codes: { uid: { code: 'taken', params: {} } },
      },
    ],
  )
  assert.equal(taken.headers.get('retry-after'), null)
})

test('a route can ask for the error detail as `status` too', async (t) => {
  const { ask } = await start(t, (serve) => {
    const send = route('POST /api/send', {
      summary: 'Sends.',
      body: z.object({ to: z.string() }),
      errorsCarryStatus: true,
    })
    serve(send, ({ body }) => {
      throw body.to === 'boom' ? new Error('boom') : new Refusal('unknown_device', 'It is off.')
    })
  })
  const off = await ask('POST /api/send', { body: { to: 'x' } })
  assert.deepEqual(
    [off.status, off.body],
    [404, { detail: 'It is off.', code: 'unknown_device', params: {}, status: 'It is off.' }],
  )
  const asked: Asking[] = [
    { token: '' },
    { body: {} },
    { headers: { 'content-type': 'x' } },
    { body: { to: 'boom' } },
  ]
  for (const [index, expected] of [401, 422, 415, 500].entries()) {
    const { status, body } = await ask('POST /api/send', asked[index])
    assert.equal(status, expected)
    assert.equal(body.status, body.detail)
  }
})

test('an internal error is answered without its cause, and logged with it', async (t) => {
  const { ask, logged } = await start(t, (serve) => {
    serve(readDevice, (): never => {
      throw new Error('SQLITE_ERROR: no such table: devices')
    })
    serve(unlink, () => Promise.reject(new TypeError('x is undefined')))
  })
  for (const where of ['GET /api/device/private-uid', 'DELETE /api/device/private-uid']) {
    const { status, text, body } = await ask(where)
    assert.equal(status, 500)
    assert.equal(body.code, 'internal')
    assert.doesNotMatch(text, /SQLITE|undefined|\\n|\.ts/)
    const lines = logged()
    const [, request_id] = /request ([0-9a-f-]{36})/.exec(body.detail)!
    const entry = lines.split('\n').find((line) => line.includes(request_id!) && line.includes('"err"'))
    assert.match(entry!, /SQLITE_ERROR|x is undefined/)
    assert.doesNotMatch(lines, /private-uid|admin-token/)
  }
})

test('a route that is served twice, not served, or not in the contract makes the start fail', async (t) => {
  const { http } = await startHttp(t, (serve) => {
    serve(readDevice, ({ params }) => params)
    assert.throws(() => serve(readDevice, ({ params }) => params), /GET.*\/api\/device\/:uid/)
  })
  const { routes } = await import('@sdd/contract/app/api.ts')
  const system = routes.filter(({ path }) =>
    ['/api/openapi.json', '/asyncapi.json', '/healthz', '/readyz'].includes(path),
  )
  http.assertAllServed([...system, readDevice])
  assert.throws(
    () => http.assertAllServed([...system, readDevice, link]),
    /No route is served for POST \/api\/link$/,
  )
  assert.throws(() => http.assertAllServed(system), /does not list GET \/api\/device\/:uid$/)
})
