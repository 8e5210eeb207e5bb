import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test, type TestContext } from 'node:test'
import { readText } from '@sdd/mqtt/codec/text.ts'
import { machineClock } from '#agent/clock.ts'
import { type Endpoint, openEndpoint } from '#test/endpoint.ts'
import { connect, type Connection } from './connection.ts'

type Call = { connection: Connection; ended: Promise<string>; commands: string[] }

const GOODBYE = { status: 'disconnected', session: 's1', agent: 'test' } as const

function call(t: TestContext, mqtt_url: string, keeps: (command: string) => boolean = () => true): Call {
  const ended = Promise.withResolvers<string>()
  const commands: string[] = []
  const account = { uid: 'd1', secret: 'secret', mqtt_url, acks: 'puback' } as const
  const listeners = {
    command(payload: Buffer) {
      commands.push(String(payload))
      return keeps(String(payload))
    },
    ended: ended.resolve,
  }
  const connection = connect(account, GOODBYE, listeners, machineClock)
  t.after(() => connection.leave())
  return { connection, ended: ended.promise, commands }
}

async function open(t: TestContext, kind: 'tcp' | 'ws' = 'tcp'): Promise<Endpoint> {
  const endpoint = await openEndpoint({ kind })
  t.after(() => endpoint.close())
  return endpoint
}

for (const kind of ['tcp', 'ws'] as const) {
  test(`over ${kind} a device connects as the contract says`, async (t) => {
    const endpoint = await open(t, kind)
    const { connection } = call(t, endpoint.mqtt_url)
    await connection.opened
    const { client_id, username, password, clean, keep_alive_secs, will } = endpoint.connects[0]!
    assert.deepEqual(
      { client_id, username, password: readText(password!), clean },
      { client_id: 'd1', username: 'd1', password: 'secret', clean: true },
    )
    assert.ok(keep_alive_secs >= 1 && keep_alive_secs <= 120)
    assert.deepEqual([will?.topic, will?.qos, will?.retain], ['devices/d1/status', 1, false])
    assert.deepEqual(JSON.parse(readText(will!.payload)), GOODBYE)
    await connection.publish('devices/d1/status', JSON.stringify({ ...GOODBYE, status: 'connected' }))
    assert.deepEqual(endpoint.breaches, [])
  })
}

test('a command is acknowledged only if it is kept, and later commands are still served', async (t) => {
  const endpoint = await open(t)
  const { connection, commands } = call(t, endpoint.mqtt_url, (command) => !command.includes('refused'))
  await connection.opened
  await connection.publish('devices/d1/status', JSON.stringify({ ...GOODBYE, status: 'connected' }))
  const ids = ['one', 'refused', 'two'].map((text) => endpoint.command('d1', text))
  await endpoint.until('both', () => endpoint.pubacks.length === 2)
  assert.deepEqual(commands, ['one', 'refused', 'two'])
  assert.deepEqual(endpoint.pubacks, [ids[0], ids[2]])
  await connection.publish('devices/d1/status', JSON.stringify({ ...GOODBYE, status: 'connected' }))
})

test('a publication without its PUBACK fails when the connection ends', async (t) => {
  const endpoint = await open(t)
  const { connection, ended } = call(t, endpoint.mqtt_url)
  await connection.opened
  endpoint.acknowledge(() => false)
  const published = connection.publish('devices/d1/status', JSON.stringify(GOODBYE))
  await endpoint.until('it came', () => endpoint.published.length === 1)
  endpoint.cut('d1')
  await assert.rejects(published)
  assert.match(await ended, /^the (server closed the connection|connection was cut)$/)
  await assert.rejects(connection.publish('devices/d1/status', '{}'), /the connection has ended/)
})

test('it does not reconnect by itself', async (t) => {
  const endpoint = await open(t)
  // Before it connects, because the clock that sets a timer must also clear it.
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const { connection, ended } = call(t, endpoint.mqtt_url)
  await connection.opened
  endpoint.cut('d1')
  await ended
  t.mock.timers.tick(600_000)
  t.mock.timers.reset()
  // The endpoint receives this after anything that the timers started.
  const later = call(t, endpoint.mqtt_url)
  await later.connection.opened
  await later.connection.publish('devices/d1/status', JSON.stringify(GOODBYE))
  assert.equal(endpoint.connects.length, 2)
})

test('each reason for a missing connection is one plain sentence', async (t) => {
  const endpoint = await open(t)
  const reasons: [string, RegExp][] = [
    ['mqtt://127.0.0.1:1', /^nothing answers at 127\.0\.0\.1:1: is the server running/],
    ['ws://127.0.0.1:1/mqtt', /^nothing answers at 127\.0\.0\.1:1/],
    ['mqtt://no.such.host.invalid', /^the name in no\.such\.host\.invalid cannot be resolved/],
    [endpoint.mqtt_url.replace('mqtt:', 'mqtts:'), /does not speak TLS on this port|was cut/],
  ]
  for (const [url, reason] of reasons) {
    const { connection, ended } = call(t, url)
    await assert.rejects(connection.opened)
    assert.match(await ended, reason)
  }
})

test('an unlinked device is told to be linked again', async (t) => {
  const endpoint = await open(t)
  endpoint.refuse(5)
  const { ended } = call(t, endpoint.mqtt_url)
  assert.equal(
    await ended,
    'the server refuses d1: it was unlinked, or its secret was renewed. Link it again',
  )
})

test('an address that does not serve WebSocket is reported', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const { ended } = call(t, `ws://127.0.0.1:${port}/mqtt`)
  assert.match(await ended, /answers 404 to a WebSocket: is the path of the address right\?$/)
})
