import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { openSdd, SddError } from './client.ts'

type Asked = { method: string; url: string; body: unknown; key: string | undefined }

/** A server that gives these answers in turn, the last one again and again. */
async function serve(t: TestContext, ...answers: ((response: ServerResponse) => void)[]) {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    void (method === 'GET' ? Promise.resolve(undefined) : json(request).catch(() => undefined)).then(
      (body) => {
        asked.push({ method, url, body, key: headers.authorization })
        answers[Math.min(asked.length, answers.length) - 1]!(response)
      },
    )
  }).listen(0, '127.0.0.1')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { asked, sdd: openSdd({ url: `http://127.0.0.1:${port}`, key: 'sdk_x', pause_ms: 1 }) }
}

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(JSON.stringify(body))

const drop = (response: ServerResponse) => response.destroy()
const SMS = { to_number: '+34600111222', text: 'Hello' }

test('a task is submitted again with the same guid until it is answered', async (t) => {
  const { asked, sdd } = await serve(
    t,
    drop,
    answer(503, { detail: 'Starting.' }),
    answer(202, { status: 'received' }),
  )
  await sdd.send(SMS)
  assert.equal(asked.length, 3)
  const guids = new Set(asked.map(({ body }) => (body as { guid: string }).guid))
  assert.equal(guids.size, 1)
  assert.match([...guids][0]!, /^[0-9a-f-]{36}$/)
  assert.equal(asked[0]!.key, 'Bearer sdk_x')
})

test('a refusal is not tried again, and has its code, fields and sentence', async (t) => {
  const refusal = { detail: 'Not valid.', code: 'invalid', params: {}, fields: { text: 'is required' } }
  const { asked, sdd } = await serve(t, answer(422, refusal))
  await assert.rejects(sdd.send(SMS), (error) => {
    assert.ok(error instanceof SddError)
    const { message, status, code, fields } = error
    assert.deepEqual([message, status, code, fields], ['Not valid.', 422, 'invalid', { text: 'is required' }])
    return true
  })
  assert.equal(asked.length, 1)
})

test('after the last attempt the error says that there was no answer', async (t) => {
  const { asked, sdd } = await serve(t, drop)
  await assert.rejects(sdd.send(SMS), { name: 'SddError', status: 0 })
  assert.equal(asked.length, 5)
})

test('a limit of today is not waited for', async (t) => {
  const refusal = { detail: 'Too many today.', code: 'recipient_limit', params: {} }
  const { asked, sdd } = await serve(t, answer(429, refusal, { 'retry-after': '3600' }))
  await assert.rejects(sdd.send(SMS), { code: 'recipient_limit', retry_after_secs: 3600 })
  assert.equal(asked.length, 1)
})

test('an aborted call rejects with the reason', async (t) => {
  const { sdd } = await serve(t, () => {})
  const reason = new Error('enough')
  await assert.rejects(sdd.send(SMS, { signal: AbortSignal.abort(reason) }), reason)
})

test('many tasks are submitted 1,000 at once, and the results are in their order', async (t) => {
  const { asked, sdd } = await serve(
    t,
    answer(202, {
      results: Array.from({ length: 1_000 }, (_, at) => ({ guid: `${at}`, status: 'received' })),
    }),
    answer(202, { results: [{ guid: '1000', status: 'received' }] }),
  )
  const results = await sdd.sendMany(Array.from({ length: 1_001 }, () => SMS))
  assert.deepEqual(
    asked.map(({ body }) => (body as { tasks: unknown[] }).tasks.length),
    [1_000, 1],
  )
  assert.deepEqual([results.length, results.at(-1)?.guid], [1_001, '1000'])
})

test('a list reads each page only when it is needed', async (t) => {
  const { asked, sdd } = await serve(
    t,
    answer(200, { tasks: [{ guid: 'a' }, { guid: 'b' }], next_cursor: 'next' }),
    answer(200, { tasks: [], next_cursor: 'last' }),
    answer(200, { tasks: [{ guid: 'c' }], next_cursor: null }),
  )
  const guids: string[] = []
  for await (const { guid } of sdd.tasks({ state: 'failed' })) {
    guids.push(guid)
    if (guid === 'a') assert.equal(asked.length, 1)
  }
  assert.deepEqual(guids, ['a', 'b', 'c'])
  assert.deepEqual(
    asked.map(({ url }) => url.split('?')[1]),
    ['state=failed', 'state=failed&cursor=next', 'state=failed&cursor=last'],
  )
})
