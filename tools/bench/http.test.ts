import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import test from 'node:test'
import { openHttpLoad, readAnswer } from './http.ts'

test('an answer is complete when all of its body has arrived', () => {
  const whole = Buffer.from('HTTP/1.1 202 Accepted\r\nContent-Length: 5\r\n\r\nhéy!')
  assert.deepEqual(readAnswer(whole), { status: 202, body: 'héy!' })
  for (let length = 0; length < whole.length; length++)
    assert.equal(readAnswer(whole.subarray(0, length)), undefined)
  assert.deepEqual(readAnswer(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n')), { status: 204, body: '' })
})

test('no more requests are under way than there are connections, and each gets its own answer', async (t) => {
  let [open, most] = [0, 0]
  const server = createServer((request, response) => {
    most = Math.max(most, ++open)
    setTimeout(() => {
      open--
      response.writeHead(200, { 'content-length': request.url!.length }).end(request.url)
    }, 2)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const load = openHttpLoad({ port: (server.address() as { port: number }).port, connections: 3 })
  t.after(() => {
    load.close()
    server.close()
  })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, place) => load.request(`GET /${place}`)))
  assert.deepEqual(
    answers.map(({ body }) => body),
    Array.from({ length: 20 }, (_, place) => `/${place}`),
  )
  assert.equal(most, 3)
})
