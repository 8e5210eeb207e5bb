import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocket, type ClientOptions } from 'ws'
import { readServerPacket } from '#mqtt/codec/from-server.ts'
import { packetReader } from '#mqtt/codec/reader.ts'
import { connectPacket, report, secretOf, startEndpoint } from '#test/endpoint.ts'
import { type Answer, until } from '#test/raw-client.ts'

/** The status of the answer to an upgrade; 101 if it succeeded. */
async function upgradeStatus(
  url: string,
  options: ClientOptions = {},
  protocols = ['mqtt'],
): Promise<number> {
  const socket = new WebSocket(url, protocols, options)
  socket.on('error', () => {})
  const status = await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, response]) => response.statusCode),
  ])
  socket.terminate()
  return status
}

async function openSocket(t: TestContext, web_port: number) {
  const socket = new WebSocket(`ws://127.0.0.1:${web_port}/mqtt`, ['mqtt'])
  t.after(() => socket.terminate())
  socket.on('error', () => {})
  const packets: Answer[] = []
  socket.on(
    'message',
    packetReader(readServerPacket, (packet: Answer) => packets.push(packet)),
  )
  await once(socket, 'open')
  return { socket, packets, closed: once(socket, 'close') }
}

test('an upgrade on /mqtt speaks the subprotocol mqtt, without compression', async (t) => {
  const { web_port } = await startEndpoint(t)
  const { socket } = await openSocket(t, web_port)
  assert.equal(socket.protocol, 'mqtt')
  assert.equal(socket.extensions, '')
})

test('a page of another origin gets 403; one of the same origin and a program without an origin are admitted', async (t) => {
  const { web_port } = await startEndpoint(t)
  const url = `ws://127.0.0.1:${web_port}/mqtt`
  assert.equal(await upgradeStatus(url, { origin: `http://127.0.0.1:${web_port}` }), 101)
  assert.equal(
    await upgradeStatus(url, { origin: 'https://web.example', headers: { host: 'web.example:443' } }),
    101,
  )
  assert.equal(await upgradeStatus(url), 101)
  for (const origin of [
    'http://evil.example',
    `http://127.0.0.1.evil.example:${web_port}`,
    'http://127.0.0.1',
    'null',
    '',
    'file://',
    `http://127.0.0.1:${web_port}, http://evil.example`,
  ]) {
    assert.equal(await upgradeStatus(url, { headers: { origin } }), 403, origin)
  }
})

test('if a page was served over TLS, a page of the same host without TLS is another origin', async (t) => {
  const { web_port } = await startEndpoint(t)
  const url = `ws://127.0.0.1:${web_port}/mqtt`
  for (const [origin, proto, status] of [
    ['https://web.example', 'https', 101],
    ['http://web.example', 'https', 403],
    ['http://web.example', 'https, http', 403],
    ['http://web.example', 'http', 101],
    ['ftp://web.example', undefined, 403],
    ['http://user@web.example', undefined, 403],
    ['http://web.example/', undefined, 403],
  ] as const) {
    const headers = { host: 'web.example', origin, ...(proto && { 'x-forwarded-proto': proto }) }
    assert.equal(await upgradeStatus(url, { headers }), status, `${origin} ${proto}`)
  }
})

test('an upgrade that does not offer mqtt gets 400', async (t) => {
  const { web_port } = await startEndpoint(t)
  assert.equal(await upgradeStatus(`ws://127.0.0.1:${web_port}/mqtt`, {}, []), 400)
  assert.equal(await upgradeStatus(`ws://127.0.0.1:${web_port}/mqtt`, {}, ['mqttv3.1']), 400)
  assert.equal(await upgradeStatus(`ws://127.0.0.1:${web_port}/mqtt`, {}, ['mqttv3.1', 'mqtt']), 101)
})

test('an upgrade on another path gets 404, unless another listener answers it', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  assert.equal(await upgradeStatus(`ws://127.0.0.1:${web_port}/mqtt?from=web`), 101)
  for (const path of ['/', '/mqtt/', '/mqttx', '/api/mqtt']) {
    assert.equal(await upgradeStatus(`ws://127.0.0.1:${web_port}${path}`), 404, path)
  }

  const shared = createServer()
  shared.on('upgrade', (request, socket) => {
    if (request.url === '/other') socket.end('HTTP/1.1 418 I am another\r\nContent-Length: 0\r\n\r\n')
  })
  endpoint.attach(shared)
  await new Promise<void>((resolve) => shared.listen(0, '127.0.0.1', resolve))
  t.after(() => shared.close())
  const { port } = shared.address() as AddressInfo
  assert.equal(await upgradeStatus(`ws://127.0.0.1:${port}/other`), 418)
})

test('a broken upgrade is answered, and a reset one does no harm', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const head =
    'GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: mqtt\r\n'
  const broken = connect(web_port, '127.0.0.1', () =>
    broken.write(`${head}Sec-WebSocket-Version: 13\r\n\r\n`),
  )
  const [answer] = await once(broken, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 400 /)
  const reset = connect(web_port, '127.0.0.1', () => {
    reset.write(`${head.replace('/mqtt', '/nowhere')}\r\n`)
    reset.resetAndDestroy()
  })
  await once(reset, 'close')
  assert.equal(await upgradeStatus(`ws://127.0.0.1:${web_port}/mqtt`), 101)
  await until(() => endpoint.counts().pending === 0)
})

test('MQTT packets need not match WebSocket frames', async (t) => {
  const { web_port, told } = await startEndpoint(t)
  const { socket, packets } = await openSocket(t, web_port)
  const stream = Buffer.concat([
    connectPacket('pub-1'),
    ...Array.from({ length: 200 }, (_, index) => report('pub-1', `report ${index}`, index + 1)),
  ])
  socket.send(stream.subarray(0, 7))
  socket.send(stream.subarray(7, 3_000))
  socket.send(stream.subarray(3_000))
  await until(() => packets.length === 201)
  assert.equal(told.length, 200)
  assert.deepEqual(
    packets.slice(1).map((packet) => packet.packet_id),
    Array.from({ length: 200 }, (_, index) => index + 1),
  )
})

test('many WebSocket frames at once are read only as fast as their reports are processed', async (t) => {
  const { web_port, told } = await startEndpoint(t, { limits: { waiting_packets: 4 } })
  const { socket, packets } = await openSocket(t, web_port)
  socket.send(connectPacket('pub-1'))
  for (let id = 1; id <= 500; id++) socket.send(report('pub-1', `report ${id}`, id))
  await until(() => packets.length === 501)
  assert.deepEqual(
    told,
    Array.from({ length: 500 }, (_, index) => `pub-1 reports report ${index + 1}`),
  )
})

test('a text frame ends the connection', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const { socket, closed } = await openSocket(t, web_port)
  socket.send(Buffer.from(connectPacket('pub-1')).toString('latin1'))
  assert.equal((await closed)[0], 1003)
  await until(() => endpoint.tally.ended.breach === 1)
})

test('a frame that is larger than any packet ends the connection', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const { socket, closed } = await openSocket(t, web_port)
  socket.send(Buffer.alloc(200_000))
  assert.equal((await closed)[0], 1009)
  await until(() => endpoint.counts().pending === 0 && endpoint.tally.ended.breach === 1)
})

test('a publisher refused on WebSocket can read its CONNACK before the end', async (t) => {
  const { web_port } = await startEndpoint(t)
  const { socket, packets, closed } = await openSocket(t, web_port)
  socket.send(connectPacket('pub-1', { password: secretOf('pub-2') }))
  await closed
  assert.deepEqual(
    packets.map((packet) => packet.type === 'connack' && packet.code),
    [4],
  )
})

test('an endpoint that stops leaves the HTTP server running', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const { closed } = await openSocket(t, web_port)
  await endpoint.stop()
  await closed
  assert.equal(await (await fetch(`http://127.0.0.1:${web_port}/`)).text(), 'a page')
})

test('of many pings at once the latest is answered, and they count like packets', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t, { limits: { packets: 50, packets_per_sec: 1_000 } })
  const { socket } = await openSocket(t, web_port)
  const pongs: string[] = []
  socket.on('pong', (payload) => pongs.push(payload.toString()))
  for (let ping = 1; ping <= 200; ping++) socket.ping(`ping ${ping}`)
  await until(() => pongs.at(-1) === 'ping 200')
  assert.ok(pongs.length < 200, `${pongs.length}`)
  assert.ok(endpoint.tally.slowed > 0)
})

test('a message in a thousand fragments is processed, and one with more ends the connection', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const { socket, packets } = await openSocket(t, web_port)
  const connect = connectPacket('pub-1')
  connect.forEach((byte, at) => socket.send(Buffer.of(byte), { fin: at === connect.length - 1 }))
  await until(() => packets.length === 1)
  const { socket: bomb, closed } = await openSocket(t, web_port)
  for (let fragment = 0; fragment < 1_100; fragment++) bomb.send(Buffer.alloc(0), { fin: false })
  assert.equal((await closed)[0], 1008)
  await until(() => endpoint.tally.ended.breach === 1)
  assert.equal(endpoint.counts().publishers, 1)
})
