import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { disconnect, pingreq } from '#mqtt/codec/from-client.ts'
import { readText } from '#mqtt/codec/text.ts'
import { connectPacket, rawPublisher, report, startEndpoint } from '#test/endpoint.ts'
import { rawClient, until } from '#test/raw-client.ts'

const will = { will: { topic: 'clients/pub-1/status', payload: Buffer.from('will'), qos: 1 } }

test('when a publisher is lost, its will is delivered and then its end', async (t) => {
  const { endpoint, port, told } = await startEndpoint(t)
  const client = await rawPublisher(t, port, 'pub-1', will)
  client.socket.resetAndDestroy()
  await until(() => told.includes('pub-1 gone'))
  assert.deepEqual(told, ['pub-1 status will', 'pub-1 gone'])
  assert.deepEqual(endpoint.counts(), { publishers: 0, listeners: 0, pending: 0 })
})

test('the will is delivered when a publisher breaks the protocol', async (t) => {
  const { port, told } = await startEndpoint(t)
  const client = await rawPublisher(t, port, 'pub-1', will)
  client.send(report('pub-2', 'not mine'))
  await until(() => told.includes('pub-1 gone'))
  assert.deepEqual(told, ['pub-1 status will', 'pub-1 gone'])
})

test('a publisher that sends DISCONNECT leaves without its will, and its earlier packets are processed', async (t) => {
  const { port, told } = await startEndpoint(t)
  const client = await rawPublisher(t, port, 'pub-1', will)
  client.send(report('pub-1', 'last words', 1), disconnect(), report('pub-1', 'too late', 2))
  await client.closed
  await until(() => told.includes('pub-1 gone'))
  assert.deepEqual(told, ['pub-1 reports last words', 'pub-1 gone'])
})

test('packets sent before a publisher was lost are processed, and its will after them', async (t) => {
  const hold = Promise.withResolvers<void>()
  const order: string[] = []
  const { endpoint, port } = await startEndpoint(t, {
    async received(_, __, payload) {
      await hold.promise
      order.push(readText(payload))
    },
    gone: async () => void order.push('gone'),
  })
  const client = await rawPublisher(t, port, 'pub-1', will)
  client.send(report('pub-1', 'one', 1), report('pub-1', 'two', 2), pingreq())
  assert.equal((await client.next()).type, 'pingresp')
  client.socket.resetAndDestroy()
  await until(() => endpoint.counts().publishers === 0)
  hold.resolve()
  await until(() => order.includes('gone'))
  assert.deepEqual(order, ['one', 'two', 'will', 'gone'])
})

test('a second connection replaces the first, whose will and end come before its first message', async (t) => {
  const order: string[] = []
  const hold = Promise.withResolvers<void>()
  let received = 0
  const { endpoint, port } = await startEndpoint(t, {
    async received(from, _, payload) {
      received++
      if (readText(payload) === 'slow') await hold.promise
      order.push(`${from.connection_id} ${readText(payload)}`)
    },
    gone: async (from) => void order.push(`${from.connection_id} gone`),
  })
  const first = await rawPublisher(t, port, 'pub-1', will)
  first.send(report('pub-1', 'slow', 1))
  await until(() => received === 1)
  const second = await rawPublisher(t, port, 'pub-1', will)
  await first.closed
  assert.deepEqual(endpoint.counts(), { publishers: 1, listeners: 0, pending: 0 })
  second.send(report('pub-1', 'new', 1), pingreq())
  assert.equal((await second.next()).type, 'pingresp')
  assert.deepEqual([received, order], [1, []], 'the new one waits for the old one')
  hold.resolve()
  assert.equal((await second.next()).type, 'puback')
  const [one, two] = [String(order[0]).split(' ')[0], String(order.at(-1)).split(' ')[0]]
  assert.notEqual(one, two)
  assert.deepEqual(order, [`${one} slow`, `${one} will`, `${one} gone`, `${two} new`])
  assert.equal(endpoint.tally.ended.replaced, 1)
})

test('a message is never acknowledged to the connection that replaced its sender', async (t) => {
  const hold = Promise.withResolvers<void>()
  const isReceived = Promise.withResolvers<void>()
  const { port } = await startEndpoint(t, {
    received() {
      isReceived.resolve()
      return hold.promise
    },
  })
  const first = await rawPublisher(t, port, 'pub-1')
  first.send(report('pub-1', 'x', 77))
  await isReceived.promise
  const second = await rawPublisher(t, port, 'pub-1')
  hold.resolve()
  second.send(pingreq())
  assert.equal((await second.next()).type, 'pingresp')
})

test('connections that compete for one name all reach their end, each once and in order', async (t) => {
  const running = new Set<object>()
  const gone: object[] = []
  const { endpoint, port } = await startEndpoint(t, {
    limits: { unfinished_per_name: 100 },
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
      client.send(connectPacket('pub-1', will), report('pub-1', 'x', 1))
      return client
    }),
  )
  await until(() => endpoint.tally.ended.replaced === 19)
  for (const client of clients) client.socket.destroy()
  await until(() => gone.length === 20)
  assert.equal(new Set(gone).size, 20)
  assert.deepEqual(endpoint.counts(), { publishers: 0, listeners: 0, pending: 0 })
})

test('a name with too many unfinished connections is refused until they are done', async (t) => {
  const hold = Promise.withResolvers<void>()
  const { endpoint, port } = await startEndpoint(t, {
    limits: { unfinished_per_name: 2 },
    received: () => hold.promise,
  })
  for (let number = 0; number < 3; number++) await rawPublisher(t, port, 'pub-1', will)
  await assert.rejects(rawPublisher(t, port, 'pub-1', will), /"code":3/)
  assert.equal(endpoint.tally.refused.unavailable, 1)
  hold.resolve()
  await until(() => endpoint.tally.ended.refused === 1)
  await rawPublisher(t, port, 'pub-1', will)
})

test('a publisher whose secret changed is cut, and its waiting packets are dropped', async (t) => {
  const hold = Promise.withResolvers<void>()
  const taken: string[] = []
  const { endpoint, port } = await startEndpoint(t, {
    async received(_, __, payload) {
      taken.push(readText(payload))
      await hold.promise
    },
    gone: async () => void taken.push('gone'),
  })
  const client = await rawPublisher(t, port, 'pub-1', will)
  client.send(report('pub-1', 'under way', 1), report('pub-1', 'waiting', 2), pingreq())
  assert.equal((await client.next()).type, 'pingresp')
  assert.deepEqual(taken, ['under way'])
  endpoint.publishers.disconnect('pub-1')
  await client.closed
  hold.resolve()
  await until(() => taken.includes('gone'))
  assert.deepEqual(taken, ['under way', 'will', 'gone'])
})

test('rules that fail at the will or at the end do not delay the next connection', async (t) => {
  let failures = 0
  const { port, told } = await startEndpoint(t, {
    received: () => Promise.reject(new Error(`${++failures}`)),
    gone: () => Promise.reject(new Error(`${++failures}`)),
  })
  const first = await rawPublisher(t, port, 'pub-1', will)
  first.socket.destroy()
  await until(() => failures === 2)
  const second = await rawPublisher(t, port, 'pub-1')
  second.send(report('pub-1', 'x', 1))
  await second.closed
  await until(() => failures === 4)
  assert.deepEqual(told, [])
})

test('an endpoint that stops ends every connection and waits until each is done', async (t) => {
  const hold = Promise.withResolvers<void>()
  const ended: string[] = []
  const isReceived = Promise.withResolvers<void>()
  const { endpoint, port } = await startEndpoint(t, {
    received() {
      isReceived.resolve()
      return hold.promise
    },
    gone: async (from) => void ended.push(from.name),
  })
  const busy = await rawPublisher(t, port, 'pub-1', will)
  busy.send(report('pub-1', 'x', 1))
  const idle = await rawPublisher(t, port, 'pub-2')
  const silent = await rawClient(t, port)
  await isReceived.promise
  await until(() => endpoint.counts().pending === 1)

  let stopped = false
  const stopping = endpoint.stop().then(() => (stopped = true))
  await Promise.all([busy.closed, idle.closed, silent.closed])
  await assert.rejects(rawClient(t, port), /ECONNREFUSED/)
  assert.equal(stopped, false)
  hold.resolve()
  await stopping
  assert.deepEqual(ended.sort(), ['pub-1', 'pub-2'])
  assert.deepEqual(endpoint.counts(), { publishers: 0, listeners: 0, pending: 0 })
})
