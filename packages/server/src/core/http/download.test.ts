import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage, request, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { CsvFile, route } from '@sdd/contract/core/route.ts'
import { openDownloads } from './download.ts'
import { callers, startHttp } from './testing.ts'

const download = route('GET /api/file.csv', { summary: 'A file.', may: 'anyone', reply: CsvFile })

const start = (t: TestContext, pieces: AsyncIterable<string>) =>
  startHttp(t, (serve) => serve(download, () => ({ filename: 'a-2026.csv', pieces })))

async function* these(...pieces: string[]) {
  for (const piece of pieces) yield piece
}

test('a file is sent as an attachment, one piece after the other', async (t) => {
  const { url } = await start(t, these('a,b\r\n', 'ñ,€\r\n'))
  const answer = await fetch(`${url}/api/file.csv`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="a-2026.csv"')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(await answer.text(), 'a,b\r\nñ,€\r\n')
})

test('a file waits for a slow client, and its production stops when the client has gone', async (t) => {
  let made = 0
  let ended = false
  async function* endless() {
    try {
      for (;;) {
        made++
        yield 'x'.repeat(64 * 1024)
      }
    } finally {
      ended = true
    }
  }
  const { url } = await start(t, endless())
  const asking = request(`${url}/api/file.csv`)
  asking.end()
  const [response] = await once(asking, 'response')
  response.pause()
  let before = -1
  while (before !== made) {
    before = made
    await wait(100)
  }
  assert.ok(made < 500, `${made} pieces were made for a client that reads none`)
  response.resume()
  while (made < before + 50) await wait(10)
  asking.destroy()
  const until = Date.now() + 2_000
  while (!ended && Date.now() < until) await wait(10)
  assert.ok(ended, 'it is still being made')
})

test('a download that fails halfway is cut off and logged; one that fails at once gets an error response', async (t) => {
  async function* failing(...pieces: string[]) {
    yield* pieces
    throw new Error('the disk is gone')
  }
  const half = await start(t, failing('a,b\r\n'))
  const answer = await fetch(`${half.url}/api/file.csv`)
  await assert.rejects(answer.text())
  assert.match(half.logged(), /A file broke off.*/)
  assert.match(half.logged(), /the disk is gone/)
  const whole = await start(t, failing())
  const refused = await fetch(`${whole.url}/api/file.csv`)
  assert.equal(refused.status, 500)
  assert.equal(refused.headers.get('content-disposition'), null)
  assert.equal(((await refused.json()) as { code: string }).code, 'internal')
})

test('a reply that is not a file is an internal error', async (t) => {
  const { url } = await startHttp(t, (serve) =>
    serve(download, () => ({ filename: 'a"b.csv', pieces: these('a') })),
  )
  assert.equal((await fetch(`${url}/api/file.csv`)).status, 500)
})

test('a download is cut off within seconds after its session ends', async (t) => {
  const own = route('GET /api/own.csv', { summary: 'A file for who is signed in.', reply: CsvFile })
  async function* endless() {
    for (;;) {
      await wait(20)
      yield 'a,b\r\n'
    }
  }
  const sessions = new Map(Object.entries(callers))
  const { url, logged } = await startHttp(
    t,
    (serve) => serve(own, () => ({ filename: 'own.csv', pieces: endless() })),
    { authenticate: async (token) => sessions.get(token) },
  )
  const ask = (token: string) =>
    fetch(`${url}/api/own.csv`, { headers: { authorization: `Bearer ${token}` } })
  const [ended, demoted] = await Promise.all([ask('admin-token'), ask('superadmin-token')])
  assert.deepEqual([ended.status, demoted.status], [200, 200])
  sessions.delete('admin-token')
  sessions.set('superadmin-token', { ...callers['superadmin-token']!, scope: { company_id: 2 } })
  await Promise.all([assert.rejects(ended.text()), assert.rejects(demoted.text())])
  assert.doesNotMatch(logged(), /broke off/, 'it is not an internal error')
})

test('a client that has gone before its download begins takes no place', () => {
  const answer = onePlace()
  answer(these(), newResponse().destroy())
  answer(these())
  assert.throws(() => answer(these()), /1 downloads? under way/)
})

test('a file whose client has gone keeps its place until its production stops', async () => {
  const answer = onePlace()
  const found = Promise.withResolvers<void>()
  async function* slow() {
    await found.promise
    yield ''
  }
  const response = newResponse()
  const pieces = answer(slow(), response)
  const first = pieces.next()
  response.emit('close')
  assert.throws(() => answer(these()), /1 downloads? under way/)
  found.resolve()
  await first
  await pieces.return?.()
  answer(these())
})

test('a file whose client goes before the first piece is asked for gives its place back', () => {
  const answer = onePlace()
  const response = newResponse()
  answer(these(), response)
  response.emit('close')
  answer(these())
})

function newResponse() {
  return new ServerResponse(new IncomingMessage(new Socket()))
}

/** Answers downloads, of which one may be under way. */
function onePlace() {
  const answerDownload = openDownloads({ files: 1, files_per_user: 1 })
  return (pieces: AsyncIterable<string>, response = newResponse()) => {
    const downloader = { caller: undefined, recheck: async () => {} }
    const { body } = answerDownload({ filename: 'a.csv', pieces }, downloader, response)
    return (body as AsyncIterable<string>)[Symbol.asyncIterator]()
  }
}
