import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { WebSocketServer, type WebSocket as Client } from 'ws'
import {
  openConnection,
  type Connection,
  type ConnectionState,
  type ConnectionTiming,
} from '#console/core/live/connection.ts'

/** A loaded machine may answer late. */
const timing: ConnectionTiming = { keepAliveSecs: 0.1, answerMs: 10_000, firstWaitMs: 20, mostWaitMs: 80 }

type Broker = {
  url: string
  clients: Client[]
  /** First bytes of the received packets: 1 CONNECT, 4 PUBACK, 8 SUBSCRIBE, 12 PINGREQ. */
  kinds: number[]
  passwords: string[]
  answer: { connack: number; suback: number; pings: boolean }
}

async function openBroker(t: TestContext): Promise<Broker> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((listening) => server.on('listening', listening))
  const broker: Broker = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mqtt`,
    clients: [],
    kinds: [],
    passwords: [],
    answer: { connack: 0, suback: 0, pings: true },
  }
  server.on('connection', (client) => {
    assert.equal(client.protocol, 'mqtt')
    broker.clients.push(client)
    client.on('message', (data: Buffer) => {
      const kind = (data[0] ?? 0) >> 4
      broker.kinds.push(kind)
      if (kind === 1) {
        broker.passwords.push(data.subarray(data.lastIndexOf(0) + 2).toString())
        client.send(Buffer.of(0x20, 2, 0, broker.answer.connack))
      }
      if (kind === 8) client.send(Buffer.of(0x90, 4, 0, 1, 0, broker.answer.suback))
      if (kind === 12 && broker.answer.pings) client.send(Buffer.of(0xd0, 0))
    })
  })
  t.after(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  return broker
}

function listen(
  t: TestContext,
  broker: Pick<Broker, 'url'>,
  { password = () => 'token-1', ...other }: { password?: () => string } & Partial<ConnectionTiming> = {},
) {
  const states: ConnectionState[] = []
  const heard: [string, string][] = []
  let refusals = 0
  const connection: Connection = openConnection({
    url: broker.url,
    topics: ['devices/status', '/front/change'],
    password,
    hear: (topic, payload) => heard.push([topic, payload]),
    changed: (state) => states.push(state),
    refused: () => refusals++,
    timing: { ...timing, ...other },
  })
  t.after(() => connection.stop())
  return { connection, states, heard, refusals: () => refusals }
}

async function until(so: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !so();) {
    assert.ok(Date.now() < end, 'timed out')
    await new Promise((rested) => setTimeout(rested, 5))
  }
}

test('it connects with the token as password, subscribes, and receives messages', async (t) => {
  const broker = await openBroker(t)
  const { states, heard } = listen(t, broker)
  await until(() => states.includes('live'))
  assert.deepEqual(broker.kinds.slice(0, 2), [1, 8])
  assert.deepEqual(broker.passwords, ['token-1'])
  broker.clients[0]?.send(Buffer.from('3007000e', 'hex').subarray(0, 1))
  broker.clients[0]?.send(Buffer.concat([Buffer.of(5, 0, 1), Buffer.from('thi')]))
  await until(() => heard.length === 1)
  assert.deepEqual(heard, [['t', 'hi']])
})

test('a message at QoS 1 is acknowledged', async (t) => {
  const broker = await openBroker(t)
  const { states, heard } = listen(t, broker)
  await until(() => states.includes('live'))
  broker.clients[0]?.send(Buffer.from('3207000174000568', 'hex').fill(6, 1, 2))
  await until(() => heard.length === 1)
  await until(() => broker.kinds.includes(4))
})

test('a cut connection reconnects with the current token', async (t) => {
  const broker = await openBroker(t)
  let token = 'old'
  const { states } = listen(t, broker, { password: () => token })
  await until(() => states.includes('live'))
  token = 'new'
  broker.clients[0]?.terminate()
  await until(() => states.length === 3)
  assert.deepEqual(states, ['live', 'reconnecting', 'live'])
  assert.deepEqual(broker.passwords, ['old', 'new'])
})

test('a silent broker is left for a new connection', async (t) => {
  const broker = await openBroker(t)
  const { states } = listen(t, broker, { answerMs: 150 })
  await until(() => states.includes('live'))
  const before = broker.clients.length
  broker.answer.pings = false
  await until(() => states.includes('reconnecting'))
  broker.answer.pings = true
  await until(() => states.at(-1) === 'live')
  assert.ok(broker.clients.length > before)
})

test('a broker that answers pings is kept', async (t) => {
  const broker = await openBroker(t)
  const { states } = listen(t, broker)
  await until(() => broker.kinds.filter((kind) => kind === 12).length > 4)
  assert.deepEqual(states, ['live'])
})

test('without a server the waits grow, and after a while it reports that it is offline', async (t) => {
  const broker = await openBroker(t)
  const port = new URL(broker.url).port
  const gone = { url: `ws://127.0.0.1:${port}/mqtt` }
  const { states } = listen(t, { url: gone.url.replace(port, '9') })
  await until(() => states.includes('offline'))
  assert.deepEqual(states.slice(0, 4), ['reconnecting', 'reconnecting', 'reconnecting', 'offline'])
})

test('a nudge ends the wait at once', async (t) => {
  const broker = await openBroker(t)
  const { connection, states } = listen(t, broker)
  await until(() => states.includes('live'))
  connection.lost()
  assert.equal(states.at(-1), 'offline')
  connection.nudge()
  await until(() => states.at(-1) === 'live')
})

test('a nudge during an attempt is followed by the next attempt at once if it fails', async (t) => {
  const broker = await openBroker(t)
  const hour = 3_600_000
  const password = () => {
    broker.answer.connack = broker.passwords.length === 0 ? 5 : 0
    return 'token-1'
  }
  const { connection, states } = listen(t, broker, { password, firstWaitMs: hour, mostWaitMs: hour })
  connection.nudge()
  await until(() => states.at(-1) === 'live')
})

for (const refusal of [{ connack: 5 }, { connack: 4 }, { suback: 0x80 }]) {
  test(`a refusal (${JSON.stringify(refusal)}) is reported, and tried again later`, async (t) => {
    const broker = await openBroker(t)
    Object.assign(broker.answer, refusal)
    const { states, refusals } = listen(t, broker)
    await until(() => refusals() >= 2)
    assert.ok(!states.includes('live'))
    Object.assign(broker.answer, { connack: 0, suback: 0 })
    await until(() => states.at(-1) === 'live')
  })
}

test('a stopped connection neither receives nor reconnects', async (t) => {
  const broker = await openBroker(t)
  const { connection, states } = listen(t, broker)
  await until(() => states.includes('live'))
  connection.stop()
  await until(() => broker.kinds.includes(14))
  await new Promise((rested) => setTimeout(rested, 200))
  assert.equal(broker.clients.length, 1)
  assert.deepEqual(states, ['live'])
})
