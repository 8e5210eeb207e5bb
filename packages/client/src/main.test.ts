import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function start(url: string, args: string[], output: 'pipe' | number = 'pipe') {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    env: { PATH: process.env.PATH, SDD_URL: url, SDD_KEY: 'sdk_x' },
    stdio: ['ignore', output, 'pipe'],
  })
  const ended = Promise.all([once(child, 'exit'), text(child.stderr!)])
  return { child, ended: ended.then(([[code], said]) => ({ code: code as number, said: said.trim() })) }
}

test('an export that breaks off is a failure, and no wrong command', async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(200)
    response.write('GUID\r\n', () => response.destroy())
  })
  assert.deepEqual(await start(url, ['export', 'tasks']).ended, { code: 1, said: 'The answer broke off' })
})

test('a wrong option is not understood', async () => {
  const { code, said } = await start('http://127.0.0.1:1', ['tasks', '--wrong']).ended
  assert.equal(code, 2)
  assert.match(said, /^Unknown option '--wrong'/)
  const unknown = await start('http://127.0.0.1:1', ['export', 'constructor']).ended
  assert.equal(unknown.code, 2)
  assert.match(unknown.said, /^There is no export of constructor/)
})

test('a reader that has enough ends the program well, and a full disk does not', async (t) => {
  const url = await serve(t, (_, response) => {
    const more = (): void => void (response.write('x'.repeat(65_536)) ? setImmediate(more) : 0)
    response.writeHead(200).on('drain', more)
    more()
  })
  const { child, ended } = start(url, ['export', 'tasks'])
  await once(child.stdout!, 'data')
  child.stdout!.destroy()
  assert.deepEqual(await ended, { code: 0, said: '' })
  const full = await start(url, ['export', 'tasks'], openSync('/dev/full', 'w')).ended
  assert.equal(full.code, 1)
  assert.match(full.said, /^ENOSPC/)
})

test('an SMS that may be on its way is repeated with its guid', async (t) => {
  const guids: string[] = []
  const url = await serve(t, (request, response) => {
    void text(request).then((body) => {
      guids.push((JSON.parse(body) as { guid: string }).guid)
      response.writeHead(500).end('{}')
    })
  })
  const { code, said } = await start(url, ['send', '+34600111222', 'Hello']).ended
  assert.equal(code, 1)
  assert.ok(said.endsWith(`--guid ${guids[0]}`), said)
})
