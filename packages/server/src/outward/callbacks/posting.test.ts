import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import type { Config } from '#server/core/config.ts'
import { readHosts } from '#server/core/hosts.ts'
import { openAddresses, refuseCallbackUrl } from './addresses.ts'
import { openPosting } from './posting.ts'

const LATE_MS = 600
const COMPANY = 1

function posting(t: TestContext, { resolve = noName, timeout_ms = 10_000, ...where }: Given = {}) {
  const addresses = openAddresses({ CALLBACK_ADDRESSES: 'any', ...where }, resolve)
  const posting = openPosting({ addresses, timeout_ms })
  t.after(() => posting.close())
  const to = (url: string) =>
    posting.post({ company_id: COMPANY, url, body: '{"é":1}' }, { 'webhook-id': 'msg_1' })
  return { ...posting, to }
}

type Given = Partial<Pick<Config, 'CALLBACK_ADDRESSES' | 'CALLBACK_HOSTS'>> & {
  resolve?: (name: string) => Promise<string[]>
  timeout_ms?: number
}
const noName = () => Promise.reject<string[]>(new Error('no name'))

/** A receiver at socket level. It handles each connection as told, once a whole request has arrived. */
async function receiver(t: TestContext, answer: (socket: Socket, request: string) => void) {
  const sockets: Socket[] = []
  const requests: string[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (!text.endsWith('{"é":1}')) return
      requests.push(text)
      answer(socket, text)
      text = ''
    })
  })
  const port = await listen(t, server)
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  return { url: `http://127.0.0.1:${port}/hook?a=1`, port, sockets, requests }
}

/** Also if an error closes it. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))
}

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

const says = (text: string) => (socket: Socket) => socket.write(text)
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const delivered = { result: 'delivered', status: 200, error: null }
const failed = (error: string | null, status: number | null = null) => ({ result: 'failed', status, error })

test('a body arrives unchanged, with its length in bytes', async (t) => {
  const { url, port, requests } = await receiver(t, says(OK))
  assert.deepEqual(await posting(t).to(url), delivered)
  const [head, body] = requests[0]!.split('\r\n\r\n')
  assert.equal(body, '{"é":1}')
  assert.deepEqual(head!.toLowerCase().split('\r\n').sort(), [
    'connection: keep-alive',
    'content-length: 8',
    'content-type: application/json',
    `host: 127.0.0.1:${port}`,
    'post /hook?a=1 http/1.1',
    'user-agent: sms-drone-dash',
    'webhook-id: msg_1',
  ])
})

const answers: [answer: string, outcome: unknown][] = [
  ['HTTP/1.1 204 No Content\r\n\r\n', { ...delivered, status: 204 }],
  ['HTTP/1.1 299 Odd\r\ncontent-length: 0\r\n\r\n', { ...delivered, status: 299 }],
  [
    'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n',
    { ...delivered, status: 202 },
  ],
  ['HTTP/1.1 400 Bad\r\ncontent-length: 0\r\n\r\n', failed(null, 400)],
  ['HTTP/1.1 500 Down\r\ncontent-length: 3\r\n\r\nsad', failed(null, 500)],
  [
    'HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n',
    { result: 'dead', status: 410, error: 'It answered 410 Gone: it wants no more.' },
  ],
  ['220 mail.example ESMTP\r\n', failed('Its answer is not HTTP (HPE_INVALID_CONSTANT).')],
  [
    `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`,
    failed('Its answer is not HTTP (HPE_HEADER_OVERFLOW).'),
  ],
  [
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    failed('It closed the connection before it answered.'),
  ],
]
for (const [answer, outcome] of answers) {
  test(`the answer ${JSON.stringify(answer.slice(0, 30))} is ${JSON.stringify(outcome)}`, async (t) => {
    const { url } = await receiver(t, says(answer))
    assert.deepEqual(await posting(t).to(url), outcome)
  })
}

test('a redirect is reported but not followed', async (t) => {
  const target = await receiver(t, says(OK))
  for (const status of [301, 302, 303, 307, 308]) {
    const head = `HTTP/1.1 ${status} Moved\r\nlocation: ${target.url}\r\ncontent-length: 0\r\n\r\n`
    const { url } = await receiver(t, says(head))
    assert.deepEqual(
      await posting(t).to(url),
      failed(`It answered ${status}: redirects are not followed, give the address itself.`, status),
    )
  }
  assert.equal(target.sockets.length, 0)
})

test('a callback fails if the receiver closes before it answers', async (t) => {
  const closed = failed('It closed the connection before it answered.')
  for (const close of [
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.destroy(),
    (socket: Socket) => socket.resetAndDestroy(),
    (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
  ]) {
    const { url } = await receiver(t, close)
    assert.deepEqual(await posting(t).to(url), closed)
  }
})

test('a callback fails if the receiver does not answer in time, whatever it does until then', async (t) => {
  const hang = [
    () => {},
    says('HTTP/1.1 200'),
    (socket: Socket) => {
      const dribble = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 20)
      socket.on('close', () => clearInterval(dribble))
    },
  ]
  for (const answer of hang) {
    const { url, sockets } = await receiver(t, answer)
    const outcome = await posting(t, { timeout_ms: LATE_MS }).to(url)
    assert.deepEqual(outcome, failed(`It did not answer within ${LATE_MS / 1000} s.`))
    // A machine that was suspended for that time has not called at all.
    const [socket] = sockets
    if (socket) await closed(socket)
  }
})

test('a silent name server takes no longer than a silent receiver', async (t) => {
  const { promise } = Promise.withResolvers<string[]>()
  const outcome = await posting(t, { timeout_ms: LATE_MS, resolve: () => promise }).to('http://slow.example/')
  assert.deepEqual(outcome, failed(`It did not answer within ${LATE_MS / 1000} s.`))
})

test('at most 64 KiB of an answer are read, as only the status matters', async (t) => {
  const endless = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    const more = () => socket.write(`4000\r\n${'x'.repeat(0x4000)}\r\n`) && setImmediate(more)
    socket.on('drain', more)
    more()
  }
  const { url, sockets } = await receiver(t, endless)
  assert.deepEqual(await posting(t).to(url), delivered)
  await closed(sockets[0]!)
})

test('an answer that breaks off or never ends after its status still counts', async (t) => {
  const started = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsome'
  const breaking = await receiver(t, (socket) => socket.end(started))
  assert.deepEqual(await posting(t).to(breaking.url), delivered)
  const dribbling = await receiver(t, says(started))
  assert.deepEqual(await posting(t, { timeout_ms: LATE_MS }).to(dribbling.url), delivered)
})

test('connections are reused, and one that was closed in the meantime is replaced', async (t) => {
  const kept = await receiver(t, says(OK))
  const posts = posting(t)
  for (let n = 0; n < 3; n++) assert.deepEqual(await posts.to(kept.url), delivered)
  assert.equal(kept.sockets.length, 1)

  let answered = 0
  const resetting = await receiver(t, (socket) => {
    // Like a receiver that closes the connection at that very moment.
    if (socket === resetting.sockets[0] && answered++ > 0) socket.resetAndDestroy()
    else socket.write(OK)
  })
  assert.deepEqual(await posts.to(resetting.url), delivered)
  assert.deepEqual(await posts.to(resetting.url), delivered)
  assert.deepEqual([resetting.sockets.length, resetting.requests.length], [2, 3])
})

test('an unreachable receiver has an error that says why', async (t) => {
  const closing = createServer()
  const closed_port = await listen(t, closing)
  closing.close()
  await once(closing, 'close')
  const posts = posting(t, {
    resolve: (name) => Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' })),
  })
  assert.deepEqual(await posts.to(`http://127.0.0.1:${closed_port}/`), failed('The connection was refused.'))
  assert.deepEqual(
    await posts.to('http://nowhere.example/'),
    failed('nowhere.example has no address now (ENOTFOUND).'),
  )
})

test('no connection goes to an address that is not public, whichever name resolves to it', async (t) => {
  const { port, sockets } = await receiver(t, says(OK))
  const resolve = () => Promise.resolve(['1.1.1.1', '127.0.0.1'])
  const posts = posting(t, { CALLBACK_ADDRESSES: 'public', resolve })
  for (const host of ['127.0.0.1', '2130706433', 'localhost', 'mixed.example']) {
    const outcome = await posts.to(`http://${host}:${port}/`)
    assert.equal(outcome?.result, 'failed', host)
    assert.match(outcome.error!, /leads to an address that is not public; this server calls none/)
  }
  assert.equal(sockets.length, 0)
})

test('a name that was public when saved is not called if it is private at the time of the call', async (t) => {
  const { port, sockets } = await receiver(t, says(OK))
  const answers = [['1.1.1.1'], ['127.0.0.1']]
  const resolve = () => Promise.resolve(answers.length > 1 ? answers.shift()! : answers[0]!)
  const addresses = openAddresses({ CALLBACK_ADDRESSES: 'public' }, resolve)
  await refuseCallbackUrl({ addresses }, COMPANY, `http://rebinding.example:${port}/`)
  const posts = posting(t, { CALLBACK_ADDRESSES: 'public', resolve })
  const outcome = await posts.to(`http://rebinding.example:${port}/`)
  assert.match(outcome?.error ?? '', /^rebinding\.example leads to an address that is not public/)
  assert.equal(sockets.length, 0)
})

test('an unlisted host or port is never connected to, and its name is never looked up', async (t) => {
  const { url, port, sockets } = await receiver(t, says(OK))
  assert.deepEqual(await posting(t, { CALLBACK_HOSTS: readHosts(`127.0.0.1:${port}`) }).to(url), delivered)
  const resolve = () => assert.fail('a name was asked for')
  for (const hosts of ['127.0.0.1', `127.0.0.2:${port}`, `*.name.example:${port}`]) {
    const posts = posting(t, { CALLBACK_HOSTS: readHosts(hosts), resolve })
    for (const to of [url, `http://name.example:${port}/`])
      assert.match((await posts.to(to))?.error ?? '', /is none of the hosts and ports that this server calls/)
  }
  assert.equal(sockets.length, 1)
})

test('the socket connects to the checked address: the name is resolved once', async (t) => {
  const { port, requests } = await receiver(t, says(OK))
  const asked: string[] = []
  const resolve = (name: string) => {
    asked.push(name)
    return Promise.resolve(asked.length === 1 ? ['127.0.0.1'] : ['192.0.2.1'])
  }
  assert.deepEqual(await posting(t, { resolve }).to(`http://name.example:${port}/`), delivered)
  assert.deepEqual(asked, ['name.example'])
  assert.match(requests[0]!, new RegExp(`\r\nhost: name\\.example:${port}\r\n`, 'i'))
})

test('over TLS the certificate must be trusted and match the name', async (t) => {
  const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../../test/fixtures', name))
  const cert = fixture('localhost-cert.pem')
  const asked: unknown[] = []
  const server = createTlsServer({ cert, key: fixture('localhost-key.pem') }, (request, response) => {
    asked.push((request.socket as TLSSocket & { servername?: string }).servername, request.headers.host)
    response.end('ok')
  })
  const port = await listen(t, server)
  t.after(() => server.closeAllConnections())
  const resolve = () => Promise.resolve(['127.0.0.1'])
  const untrusted = await posting(t).to(`https://localhost:${port}/`)
  assert.match(untrusted?.error ?? '', /^Its certificate is not trusted \(\w+\)\.$/)
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, cert.toString()])
  t.after(() => setDefaultCACertificates(trusted))
  assert.deepEqual(await posting(t).to(`https://localhost:${port}/`), delivered)
  assert.deepEqual(asked, ['localhost', `localhost:${port}`])
  const misnamed = await posting(t, { resolve }).to(`https://other.example:${port}/`)
  assert.equal(misnamed?.error, 'Its certificate is not trusted (ERR_TLS_CERT_ALTNAME_INVALID).')
  const plain = await listen(
    t,
    createServer((socket) => socket.on('error', () => {}).write('220 hello\r\n')),
  )
  const noTls = await posting(t).to(`https://127.0.0.1:${plain}/`)
  assert.match(noTls?.error ?? '', /^It does not speak TLS as it should \(\w+\)\.$/)
})

test('closing aborts running calls and leaves their outcome open', async (t) => {
  const { url, sockets } = await receiver(t, () => {})
  const posts = posting(t)
  const posted = posts.to(url)
  while (sockets.length === 0) await wait(5)
  posts.close()
  assert.equal(await posted, undefined)
  await closed(sockets[0]!)
})
