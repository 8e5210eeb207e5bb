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
  const url = `http://127.0.0.1:${port}`
  return { asked, url, sdd: openSdd({ url, key: 'sdk_x', pause_ms: 1 }) }
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

test('an answer that breaks off counts as none', async (t) => {
  const breakOff = (response: ServerResponse) => {
    response.writeHead(202, { 'content-length': 100 })
    response.write('{"guid":', () => response.destroy())
  }
  const { asked, sdd } = await serve(t, breakOff, answer(202, { guid: 'a', status: 'repeated' }))
  assert.deepEqual(await sdd.send(SMS), { guid: 'a', status: 'repeated' })
  assert.equal(asked.length, 2)
})

test('an address without https:// is refused before any call', async () => {
  let asked = 0
  for (const url of ['localhost:8080', 'sms.example.com', 'https://', undefined as unknown as string]) {
    const sdd = openSdd({ url, fetch: () => Promise.reject(new Error(`call ${++asked}`)) })
    await assert.rejects(sdd.send(SMS), {
      name: 'SddError',
      message: 'url must begin with https:// or http://, such as https://sms.example.com',
    })
  }
  assert.equal(asked, 0)
})

test('a call that may do something twice is tried once', async (t) => {
  const { asked, sdd } = await serve(t, drop)
  await assert.rejects(sdd.request('POST', '/api/device-send-sms', { body: SMS }), { status: 0 })
  assert.equal(asked.length, 1)
  await assert.rejects(sdd.request('PUT', '/api/x', { body: {} }), { status: 0 })
  assert.equal(asked.length, 1 + 5)
  await assert.rejects(sdd.request('POST', '/api/x', { body: {}, repeatable: true }), { status: 0 })
  assert.equal(asked.length, 1 + 5 + 5)
})

test('a failed submission tells the guids and the results so far, so that it can be repeated', async (t) => {
  const first = Array.from({ length: 1_000 }, (_, at) => ({ guid: `${at}`, status: 'received' }))
  const { asked, sdd } = await serve(t, answer(202, { results: first }), answer(500, {}))
  const error: unknown = await sdd
    .sendMany(Array.from({ length: 1_001 }, () => SMS))
    .catch((thrown: unknown) => thrown)
  assert.ok(error instanceof SddError)
  assert.deepEqual(error.results, first)
  const sent = asked.flatMap(({ body }) => (body as { tasks: unknown[] }).tasks)
  assert.deepEqual(error.tasks, sent)
  await assert.rejects(sdd.send(SMS), (thrown) => {
    assert.deepEqual((thrown as SddError).tasks, [asked.at(-1)!.body])
    return true
  })
})

test('the time limit ends with the headers of an export, and covers all of any other answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const responses: ServerResponse[] = []
  const { url } = await serve(t, (response) => {
    responses.push(response)
    response.writeHead(200).write('{')
  })
  let answers = 0
  const answered = Promise.withResolvers<void>()
  const sdd = openSdd({
    url,
    attempts: 1,
    async fetch(...asked) {
      const response = await fetch(...asked)
      if (++answers === 2) answered.resolve()
      return response
    },
  })
  const pieces = sdd.exportTasks()
  assert.equal((await pieces.next()).value, '{')
  const failed = assert.rejects(sdd.task('a'), { status: 0 })
  await answered.promise
  t.mock.timers.tick(60_000)
  responses[0]!.end('}')
  assert.equal((await pieces.next()).value, '}')
  await failed
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
