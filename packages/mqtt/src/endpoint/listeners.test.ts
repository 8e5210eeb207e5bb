import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MqttClient } from 'mqtt'
import { type KnownListener, listener, publisher, startEndpoint } from '#test/endpoint.ts'
import { until } from '#test/raw-client.ts'

function messagesOf(client: MqttClient): string[] {
  const messages: string[] = []
  client.on('message', (topic, payload, { qos, retain }) =>
    messages.push(`${topic} ${payload.toString()} ${qos} ${retain}`),
  )
  return messages
}

test('a listener can subscribe to the two live topics and to nothing else', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const client = await listener(t, web_port, 'key_one')
  const granted = await new Promise((resolve) =>
    client.subscribe(
      [
        'clients/status',
        '/front/change',
        'clients/+',
        '#',
        '/front/#',
        'clients/pub-1/commands',
        'front/change',
      ],
      (_, __, packet) => resolve(packet?.cmd === 'suback' && packet.granted),
    ),
  )
  assert.deepEqual(granted, [0, 0, 128, 128, 128, 128, 128])
  assert.deepEqual(endpoint.counts(), { publishers: 0, listeners: 1, pending: 0 })
})

test('an event reaches the permitted listeners that subscribed to its topic', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const [one, two, all, deaf] = await Promise.all(
    ['key_one', 'key_two', 'key_all', 'key_all'].map((token) => listener(t, web_port, token)),
  )
  const heard = [one, two, all, deaf].map((client) => messagesOf(client!))
  for (const client of [one, two, all]) await client!.subscribeAsync('clients/status')
  await deaf!.subscribeAsync('/front/change')

  endpoint.listeners.send('clients/status', 'for one', ({ key }) => key !== 2)
  endpoint.listeners.send('clients/status', 'for two', ({ key }) => key !== 1)
  for (const topic of ['/front/change', 'clients/status'] as const)
    endpoint.listeners.send(topic, 'end', () => true)
  await until(() => heard.every((messages) => messages.at(-1)?.includes(' end ')))
  const [end, change] = ['clients/status end 0 false', '/front/change end 0 false']
  assert.deepEqual(heard, [
    ['clients/status for one 0 false', end],
    ['clients/status for two 0 false', end],
    ['clients/status for one 0 false', 'clients/status for two 0 false', end],
    [change],
  ])
})

test('each listener is known by its key, and gets only what it may', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const one = await listener(t, web_port, 'key_one')
  const two = await listener(t, web_port, 'key_two')
  const heard = [messagesOf(one), messagesOf(two)]
  for (const client of [one, two]) await client.subscribeAsync('/front/change')
  const known = [...endpoint.listeners.open()]
  assert.deepEqual(
    known.map(({ key }) => key),
    [1, 2],
  )
  endpoint.listeners.send('/front/change', 'for two', ({ key }) => key === 2)
  endpoint.listeners.send('clients/status', 'not subscribed', () => true)
  await until(() => heard[1]!.length === 1)
  assert.deepEqual(heard, [[], ['/front/change for two 0 false']])
})

test('a listener that unsubscribed gets no more events', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const client = await listener(t, web_port, 'key_one')
  const heard = messagesOf(client)
  for (const topic of ['/front/change', 'clients/status']) await client.subscribeAsync(topic)
  await client.unsubscribeAsync('/front/change')
  endpoint.listeners.send('/front/change', 'unsubscribed', () => true)
  endpoint.listeners.send('clients/status', 'still subscribed', () => true)
  await until(() => heard.length > 0)
  assert.deepEqual(heard, ['clients/status still subscribed 0 false'])
})

for (const [name, send] of [
  ['to a live topic', (client: MqttClient) => client.publish('clients/status', 'x')],
  ['as a publisher would', (client: MqttClient) => client.publish('clients/pub-1/reports', 'x', { qos: 1 })],
] as const) {
  test(`a listener that publishes ${name} is cut`, async (t) => {
    const { endpoint, web_port, told } = await startEndpoint(t)
    const client = await listener(t, web_port, 'key_one')
    const closed = new Promise((resolve) => client.once('close', () => resolve(true)))
    send(client)
    await closed
    await until(() => endpoint.tally.ended.breach === 1)
    assert.deepEqual(told, [])
    assert.equal(endpoint.counts().listeners, 0)
  })
}

for (const [name, token, but, code] of [
  ['a token that opens nothing', 'key_stale', {}, 4],
  ['a session to be kept', 'key_one', { clean: false, clientId: 'b' }, 2],
] as const) {
  test(`a listener with ${name} is refused with CONNACK ${code}`, async (t) => {
    const { endpoint, web_port } = await startEndpoint(t)
    await assert.rejects(listener(t, web_port, token, but), { code })
    await until(() => endpoint.counts().pending === 0)
    assert.equal(endpoint.counts().listeners, 0)
  })
}

test('a listener may use any client id and no keep-alive', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  await listener(t, web_port, 'key_one', { clientId: 'a/+#é', username: '#', keepalive: 0 })
  await listener(t, web_port, 'key_one', { clientId: '', username: '' })
  assert.equal(endpoint.counts().listeners, 2)
})

test('when a key ends, its connections end and the others stay', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const ending = await Promise.all([listener(t, web_port, 'key_one'), listener(t, web_port, 'key_one')])
  await listener(t, web_port, 'key_two')
  const closed = ending.map((client) => new Promise((resolve) => client.once('close', () => resolve(true))))
  endpoint.listeners.disconnect(1)
  await Promise.all(closed)
  assert.deepEqual(
    [...endpoint.listeners.open()].map((who) => who.key),
    [2],
  )
})

test('a key that ends while its listener is being admitted refuses that listener', async (t) => {
  const admitted = Promise.withResolvers<KnownListener>()
  let asked = false
  const { endpoint, web_port } = await startEndpoint(t, {
    admitListener() {
      asked = true
      return admitted.promise
    },
  })
  const refused = assert.rejects(listener(t, web_port, 'key_one'), { code: 4 })
  await until(() => asked)
  endpoint.listeners.disconnect(9)
  admitted.resolve({ key: 9 })
  await refused
})

test('publishers and listeners share the path, and neither sees the other', async (t) => {
  const { endpoint, web_port } = await startEndpoint(t)
  const one = await publisher(t, `ws://127.0.0.1:${web_port}/mqtt`, 'pub-1')
  const client = await listener(t, web_port, 'key_one')
  const heard = messagesOf(client)
  await client.subscribeAsync(['clients/status', '/front/change'])
  await one.publishAsync('clients/pub-1/status', '{}', { qos: 1 })
  endpoint.listeners.send('/front/change', 'end', () => true)
  await until(() => heard.length > 0)
  assert.deepEqual(heard, ['/front/change end 0 false'])
  assert.deepEqual(endpoint.counts(), { publishers: 1, listeners: 1, pending: 0 })
})
