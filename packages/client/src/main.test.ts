import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function start(
  url: string,
  args: string[],
  output: 'pipe' | number = 'pipe',
  input: 'pipe' | 'ignore' = 'ignore',
) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    env: { PATH: process.env.PATH, SDD_URL: url, SDD_KEY: 'sdk_x' },
    stdio: [input, output, 'pipe'],
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

test('an address without https:// is not understood', async () => {
  const { code, said } = await start('localhost:8080', ['tasks']).ended
  assert.equal(code, 2)
  assert.match(said, /^SDD_URL must begin with https:\/\/ or http:\/\/, such as https:\/\/sms\.example\.com$/)
})

test('an answer that breaks off is asked for again, also while the log is followed', async (t) => {
  const log = (...guids: string[]) => ({ logs: guids.map((guid) => ({ guid, state: 'sent' })) })
  const answers = [undefined, { devices: [{ uid: 'drone' }] }, log('g1'), undefined, log('g2', 'g1')]
  const url = await serve(t, (_, response) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer) return void response.end(JSON.stringify(answer))
    response.writeHead(200, { 'content-length': 100 })
    response.write('{', () => response.destroy())
  })
  assert.deepEqual(await start(url, ['devices', '--json']).ended, { code: 0, said: '' })
  const { child, ended } = start(url, ['log', '--follow', '--json'])
  const guids: string[] = []
  for await (const line of createInterface({ input: child.stdout! })) {
    guids.push((JSON.parse(line) as { guid: string }).guid)
    if (guids.length === 2) break
  }
  child.kill('SIGINT')
  assert.deepEqual(await ended, { code: 0, said: '' })
  assert.deepEqual(guids, ['g1', 'g2'])
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

test('a command that is interrupted ends at once, and says with which guid an SMS is repeated', async (t) => {
  let arrived = (_: string): void => {}
  const url = await serve(t, ({ url = '' }, response) => {
    if (url.endsWith('.csv')) response.writeHead(200).write('GUID')
    arrived(url)
  })
  const commands = [
    ['tasks'],
    ['inbox'],
    ['inbox', '--follow'],
    ['devices'],
    ['log'],
    ['task', 'a'],
    ['discard', 'a'],
    ['export', 'tasks'],
    ['send', '+34600111222', 'Hello', '--guid', 'a'],
  ]
  for (const args of commands) {
    const asked = new Promise<string>((resolve) => (arrived = resolve))
    const { child, ended } = start(url, args)
    await asked
    if (args[0] === 'export') await once(child.stdout!, 'data')
    child.kill('SIGINT')
    const said = args[0] === 'send' ? 'The SMS may be on its way: repeat the command with --guid a' : ''
    const code = args.includes('--follow') ? 0 : 130
    assert.deepEqual(await ended, { code, said }, args.join(' '))
  }
  const { child, ended } = start(url, ['send', '+34600111222', '-'], 'pipe', 'pipe')
  // More than a pipe holds: the program is reading it.
  child.stdin!.write('x'.repeat(1_000_000))
  await once(child.stdin!, 'drain')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, { code: 143, said: '' })
})

test('a log that is followed begins with its newest entries, and goes on with new ones and new states', async (t) => {
  const entry = (n: number, state = 'sent') => ({ guid: `g${n}`, state })
  const limits: (string | null)[] = []
  const url = await serve(t, ({ url = '' }, response) => {
    const limit = new URL(url, 'http://x').searchParams.get('limit')
    limits.push(limit)
    const logs = Array.from({ length: 30 }, (_, n) => entry(30 - n))
    if (limits.length > 1) logs.splice(0, 1, entry(31), entry(30, 'delivered'))
    response.end(JSON.stringify({ logs: logs.slice(0, Number(limit)) }))
  })
  const { child, ended } = start(url, ['log', '--follow', '--json', '--limit', '2'])
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout! })) {
    const { guid, state } = JSON.parse(line) as { guid: string; state: string }
    lines.push(`${guid} ${state}`)
    if (guid === 'g31') break
  }
  child.kill('SIGINT')
  assert.equal((await ended).code, 0)
  assert.deepEqual(lines, ['g29 sent', 'g30 sent', 'g30 delivered', 'g31 sent'])
})

test('an inbox that is followed begins after its newest SMS, whatever the clock says', async (t) => {
  const asked: string[] = []
  const third = Promise.withResolvers<void>()
  const url = await serve(t, ({ url = '' }, response) => {
    asked.push(url)
    if (asked.length === 3) third.resolve()
    const inbox = asked.length < 3 ? [{ id: `r${4 + asked.length}`, from: '1', text: 'x', at: 'now' }] : []
    response.end(JSON.stringify({ inbox, next_cursor: asked.length === 1 ? '4' : null }))
  })
  const { child, ended } = start(url, ['inbox', '--follow', '--json', '--search', 'x'])
  await third.promise
  child.kill('SIGINT')
  assert.equal((await ended).code, 0)
  assert.deepEqual(asked, [
    '/api/inbox?limit=1',
    '/api/inbox?since=r5&search=x',
    '/api/inbox?since=r6&search=x',
  ])
})
