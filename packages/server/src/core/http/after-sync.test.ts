import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { route } from '@sdd/contract/core/route.ts'
import { sendRaw } from '@sdd/http/testing.ts'
import * as z from 'zod/mini'
import { Refusal } from '#server/core/refusal.ts'
import { afterSync, withOtherStatus } from './serve.ts'
import { startHttp } from './testing.ts'

const link = route('POST /api/link', {
  summary: 'Links.',
  may: 'anyone',
  reply: z.object({ code: z.string() }),
  status: 201,
  otherStatus: 200,
})
const relink = route('POST /api/link/:uid', {
  summary: 'Links again.',
  may: 'anyone',
  params: z.object({ uid: z.string() }),
  reply: z.object({ uid: z.string() }),
})

const ask = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`

test('a held-back reply is sent when the promise it waits for resolves', async (t) => {
  const disk = Promise.withResolvers<void>()
  const { url } = await startHttp(t, (serve) => {
    serve(link, () => afterSync(disk.promise, withOtherStatus({ code: 'known' })))
    serve(relink, ({ params }) => afterSync(disk.promise, params))
  })
  const asked = ['/api/link', '/api/link/one'].map((path) => fetch(url + path, { method: 'POST' }))
  assert.equal(await Promise.race([...asked, wait(50, 'nothing yet')]), 'nothing yet')
  disk.resolve()
  const answers = await Promise.all(asked)
  assert.deepEqual(await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()])), [
    [200, { code: 'known' }],
    [200, { uid: 'one' }],
  ])
})

test('if the promise rejects, the error is sent instead of the reply and the connection closes', async (t) => {
  const lost = () => Promise.reject(new Refusal('not_ready', 'The disk did not keep it.'))
  const { http, logged } = await startHttp(t, (serve) => {
    serve(link, () => afterSync(wait(20).then(lost), { code: 'new' }))
    serve(relink, ({ params }) => afterSync(wait(20).then(lost), params))
  })
  // Reads until the server ends the connection; the client does not end it.
  const answer = await sendRaw(http.port(), ask('/api/link'))
  assert.match(answer, /^HTTP\/1\.1 503 Service Unavailable\r\n.*^X-Frame-Options: DENY\r\n/ms)
  assert.match(
    answer,
    /\r\nConnection: close\r\n\r\n{"detail":"The disk did not keep it\.","code":"not_ready","params":{}}$/,
  )
  assert.equal(answer.match(/HTTP\/1\.1/g)!.length, 1)
  assert.match(logged(), /"route":"\/api\/link","status":503/)
  const { status } = await fetch(`http://127.0.0.1:${http.port()}/api/link/one`, { method: 'POST' })
  assert.equal(status, 503)
})
