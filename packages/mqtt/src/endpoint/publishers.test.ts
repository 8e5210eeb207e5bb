import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeviceConnection } from './rules.ts'
import { connectPacket, rawClient, rawDevice, report, startBroker, until } from './testing.ts'

const will = { will: { topic: 'devices/dev-1/status', payload: Buffer.from('will'), qos: 1 as const } }

test('the will is delivered when a device is lost, and then its end', async (t) => {
  const { broker, port, told } = await startBroker(t)
  const client = await rawDevice(t, port, 'dev-1', will)
  client.socket.resetAndDestroy()
  await until(() => told.includes('dev-1 gone'))
  assert.deepEqual(told, ['dev-1 status will', 'dev-1 gone'])
  assert.deepEqual(broker.counts(), { devices: 0, browsers: 0, pending: 0 })
})

test('the will is delivered when a device breaks the protocol', async (t) => {
  const { port, told } = await startBroker(t)
  const client = await rawDevice(t, port, 'dev-1', will)
  client.send(report('dev-2', 'not mine'))
  await until(() => told.includes('dev-1 gone'))
  assert.deepEqual(told, ['dev-1 status will', 'dev-1 gone'])
})

test('a device that says DISCONNECT leaves without its will, and what it sent before is taken', async (t) => {
  const { port, told } = await startBroker(t)
  const client = await rawDevice(t, port, 'dev-1', will)
  client.send(report('dev-1', 'last words', 1), { cmd: 'disconnect' }, report('dev-1', 'too late', 2))
  await client.closed
  await until(() => told.includes('dev-1 gone'))
  assert.deepEqual(told, ['dev-1 reports last words', 'dev-1 gone'])
})

test('what a device sent before it was lost is taken, and its will after it', async (t) => {
  const hold = Promise.withResolvers<void>()
  const order: string[] = []
  const { broker, port } = await startBroker(t, {
    async received(_, __, payload) {
      await hold.promise
      order.push(payload.toString())
    },
    gone: async () => void order.push('gone'),
  })
  const client = await rawDevice(t, port, 'dev-1', will)
  client.send(report('dev-1', 'one', 1), report('dev-1', 'two', 2), { cmd: 'pingreq' })
  assert.equal((await client.next()).cmd, 'pingresp')
  client.socket.resetAndDestroy()
  await until(() => broker.counts().devices === 0)
  hold.resolve()
  await until(() => order.includes('gone'))
  assert.deepEqual(order, ['one', 'two', 'will', 'gone'])
})

test('a second connection takes the place of the first, whose will and end come before its first message', async (t) => {
  const order: string[] = []
  const hold = Promise.withResolvers<void>()
  const { broker, port } = await startBroker(t, {
    async received(from, _, payload) {
      if (payload.toString() === 'slow') await hold.promise
      order.push(`${from.connection_id} ${payload.toString()}`)
    },
    gone: async (from) => void order.push(`${from.connection_id} gone`),
  })
  const first = await rawDevice(t, port, 'dev-1', will)
  first.send(report('dev-1', 'slow', 1))
  await sleep(20)
  const second = await rawDevice(t, port, 'dev-1', will)
  await first.closed
  assert.deepEqual(broker.counts(), { devices: 1, browsers: 0, pending: 0 })
  second.send(report('dev-1', 'new', 1))
  await sleep(20)
  assert.deepEqual(order, [], 'the new one waits for the old one')
  hold.resolve()
  assert.equal((await second.next()).cmd, 'puback')
  const [one, two] = [String(order[0]).split(' ')[0], String(order.at(-1)).split(' ')[0]]
  assert.notEqual(one, two)
  assert.deepEqual(order, [`${one} slow`, `${one} will`, `${one} gone`, `${two} new`])
  assert.equal(broker.tally.ended.replaced, 1)
})

test('a message is not acknowledged to the connection that took the place of its sender', async (t) => {
  const hold = Promise.withResolvers<void>()
  const { port } = await startBroker(t, { received: () => hold.promise })
  const first = await rawDevice(t, port, 'dev-1')
  first.send(report('dev-1', 'x', 77))
  await sleep(20)
  const second = await rawDevice(t, port, 'dev-1')
  hold.resolve()
  second.send({ cmd: 'pingreq' })
  assert.equal((await second.next()).cmd, 'pingresp')
})

test('connections that fight over one uid all come to their end, each once and in order', async (t) => {
  const running = new Set<DeviceConnection>()
  const gone: DeviceConnection[] = []
  const { broker, port } = await startBroker(t, {
    limits: { unfinished_per_uid: 100 },
    async received(from) {
      running.add(from)
      assert.equal(running.size, 1, 'one at a time')
      await sleep(1)
      running.delete(from)
    },
    gone: async (from) => void gone.push(from),
  })
  const clients = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const client = await rawClient(t, port)
      client.send(connectPacket('dev-1', will), report('dev-1', 'x', 1))
      return client
    }),
  )
  await until(() => broker.tally.ended.replaced === 19)
  for (const client of clients) client.socket.destroy()
  await until(() => gone.length === 20)
  assert.equal(new Set(gone).size, 20)
  assert.deepEqual(broker.counts(), { devices: 0, browsers: 0, pending: 0 })
})

test('a uid whose ended connections pile up is refused until they are through', async (t) => {
  const hold = Promise.withResolvers<void>()
  const { broker, port } = await startBroker(t, {
    limits: { unfinished_per_uid: 2 },
    received: () => hold.promise,
  })
  for (let number = 0; number < 3; number++) await rawDevice(t, port, 'dev-1', will)
  await assert.rejects(rawDevice(t, port, 'dev-1', will), /"returnCode":3/)
  assert.equal(broker.tally.refused.unavailable, 1)
  hold.resolve()
  await until(() => broker.tally.ended.refused === 1)
  await rawDevice(t, port, 'dev-1', will)
})

test('a device whose secret changed is cut, and what waits of it is dropped', async (t) => {
  const hold = Promise.withResolvers<void>()
  const taken: string[] = []
  const { broker, port } = await startBroker(t, {
    async received(_, __, payload) {
      taken.push(payload.toString())
      await hold.promise
    },
    gone: async () => void taken.push('gone'),
  })
  const client = await rawDevice(t, port, 'dev-1', will)
  client.send(report('dev-1', 'under way', 1), report('dev-1', 'waiting', 2))
  await until(() => taken.length === 1)
  await sleep(20)
  broker.disconnectDevice('dev-1')
  await client.closed
  hold.resolve()
  await until(() => taken.includes('gone'))
  assert.deepEqual(taken, ['under way', 'will', 'gone'])
})

test('rules that fail at the will or at the end do not keep the next connection waiting', async (t) => {
  let failures = 0
  const { port, told } = await startBroker(t, {
    received: () => Promise.reject(new Error(`${++failures}`)),
    gone: () => Promise.reject(new Error(`${++failures}`)),
  })
  const first = await rawDevice(t, port, 'dev-1', will)
  first.socket.destroy()
  await until(() => failures === 2)
  const second = await rawDevice(t, port, 'dev-1')
  second.send(report('dev-1', 'x', 1))
  await second.closed
  await until(() => failures === 4)
  assert.deepEqual(told, [])
})

test('a broker that stops ends every connection and waits until each is through', async (t) => {
  const hold = Promise.withResolvers<void>()
  const ended: string[] = []
  const { broker, port } = await startBroker(t, {
    received: () => hold.promise,
    gone: async (from) => void ended.push(from.uid),
  })
  const busy = await rawDevice(t, port, 'dev-1', will)
  busy.send(report('dev-1', 'x', 1))
  const idle = await rawDevice(t, port, 'dev-2')
  const silent = await rawClient(t, port)
  await sleep(20)

  let stopped = false
  const stopping = broker.stop().then(() => (stopped = true))
  await Promise.all([busy.closed, idle.closed, silent.closed])
  await assert.rejects(rawClient(t, port), /ECONNREFUSED/)
  assert.equal(stopped, false)
  hold.resolve()
  await stopping
  assert.deepEqual(ended.sort(), ['dev-1', 'dev-2'])
  assert.deepEqual(broker.counts(), { devices: 0, browsers: 0, pending: 0 })
})
