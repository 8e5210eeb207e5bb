import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openReader } from './reader.ts'

test('a reader’s waits are timed apart from delays of this process', async (t) => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-length': 2 })
    const answer = () => response.end('{}')
    if (request.url === '/slow') setTimeout(answer, 200)
    else answer()
    // The answer has left, and this process does not look at it for half a second.
    if (request.url === '/busy') setImmediate(beBusy)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const reader = openReader((server.address() as AddressInfo).port, 'token')
  t.after(() => {
    reader.close()
    server.close()
    server.closeAllConnections()
  })
  await reader.time('/quick')
  assert.ok((await reader.time('/slow')) >= 195)
  assert.ok((await reader.time('/busy')) < 400)
  await assert.rejects(reader.time('/missing'), /404/)
})

function beBusy(): void {
  const until = performance.now() + 500
  while (performance.now() < until);
}
