import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MqttClient } from 'mqtt'
import { sees } from '#server/core/context.ts'
import type { KnownBrowser } from './rules.ts'
import { browser, device, startBroker, until } from './testing.ts'

function messagesOf(client: MqttClient): string[] {
  const messages: string[] = []
  client.on('message', (topic, payload, { qos, retain }) =>
    messages.push(`${topic} ${payload.toString()} ${qos} ${retain}`),
  )
  return messages
}

test('a browser subscribes to the two live topics and to nothing else', async (t) => {
  const { broker, web_port } = await startBroker(t)
  const client = await browser(t, web_port, 'sds_one')
  const granted = await new Promise((resolve) =>
    client.subscribe(
      [
        'devices/status',
        '/front/change',
        'devices/+',
        '#',
        '/front/#',
        'devices/dev-1/commands',
        'front/change',
      ],
      (_, __, packet) => resolve(packet?.cmd === 'suback' && packet.granted),
    ),
  )
  assert.deepEqual(granted, [0, 0, 128, 128, 128, 128, 128])
  assert.deepEqual(broker.counts(), { devices: 0, browsers: 1, pending: 0 })
})

test('an event reaches the browsers that subscribed to its topic and whose scope may see it', async (t) => {
  const { broker, web_port } = await startBroker(t)
  const [one, two, all, deaf] = await Promise.all(
    ['sds_one', 'sds_two', 'sds_all', 'sds_all'].map((token) => browser(t, web_port, token)),
  )
  const heard = [one, two, all, deaf].map((client) => messagesOf(client!))
  for (const client of [one, two, all]) await client!.subscribeAsync('devices/status')
  await deaf!.subscribeAsync('/front/change')

  broker.toBrowsers('devices/status', 'of company 1', (scope) => sees(scope, 1))
  broker.toBrowsers('devices/status', 'of company 2', (scope) => sees(scope, 2))
  broker.toBrowsers('/front/change', 'end', () => true)
  await until(() => heard[3]!.length > 0 && heard[2]!.length > 1)
  await sleep(20)
  assert.deepEqual(heard, [
    ['devices/status of company 1 0 false'],
    ['devices/status of company 2 0 false'],
    ['devices/status of company 1 0 false', 'devices/status of company 2 0 false'],
    ['/front/change end 0 false'],
  ])
})

test('each browser is known with its session and scope, and hears what that scope may see', async (t) => {
  const { broker, web_port } = await startBroker(t)
  const one = await browser(t, web_port, 'sds_one')
  const two = await browser(t, web_port, 'sds_two')
  const heard = [messagesOf(one), messagesOf(two)]
  for (const client of [one, two]) await client.subscribeAsync('/front/change')
  const known = [...broker.browsers()]
  assert.deepEqual(
    known.map(({ session_id, scope }) => ({ session_id, scope })),
    [
      { session_id: 1, scope: { company_id: 1 } },
      { session_id: 2, scope: { company_id: 2 } },
    ],
  )
  broker.toBrowsers('/front/change', 'for two', (scope) => scope !== 'all' && scope.company_id === 2)
  broker.toBrowsers('devices/status', 'not subscribed', () => true)
  await until(() => heard[1]!.length === 1)
  assert.deepEqual(heard, [[], ['/front/change for two 0 false']])
})

test('a browser that unsubscribed hears no more', async (t) => {
  const { broker, web_port } = await startBroker(t)
  const client = await browser(t, web_port, 'sds_one')
  const heard = messagesOf(client)
  for (const topic of ['/front/change', 'devices/status']) await client.subscribeAsync(topic)
  await client.unsubscribeAsync('/front/change')
  broker.toBrowsers('/front/change', 'unsubscribed', () => true)
  broker.toBrowsers('devices/status', 'still subscribed', () => true)
  await until(() => heard.length > 0)
  assert.deepEqual(heard, ['devices/status still subscribed 0 false'])
})

for (const [name, send] of [
  ['to a live topic', (client: MqttClient) => client.publish('devices/status', 'x')],
  ['as a device would', (client: MqttClient) => client.publish('devices/dev-1/reports', 'x', { qos: 1 })],
] as const) {
  test(`a browser that publishes ${name} is cut`, async (t) => {
    const { broker, web_port, told } = await startBroker(t)
    const client = await browser(t, web_port, 'sds_one')
    const closed = new Promise((resolve) => client.once('close', () => resolve(true)))
    send(client)
    await closed
    await until(() => broker.tally.ended.breach === 1)
    assert.deepEqual(told, [])
    assert.equal(broker.counts().browsers, 0)
  })
}

for (const [name, token, but, code] of [
  ['a token that opens nothing', 'sds_stale', {}, 4],
  ['a will', 'sds_one', { will: { topic: 'devices/status', payload: Buffer.from('x') } }, 5],
  ['a session to be kept', 'sds_one', { clean: false, clientId: 'b' }, 2],
] as const) {
  test(`a browser with ${name} is refused with CONNACK ${code}`, async (t) => {
    const { broker, web_port } = await startBroker(t)
    await assert.rejects(browser(t, web_port, token, but), { code })
    await until(() => broker.counts().pending === 0)
    assert.equal(broker.counts().browsers, 0)
  })
}

test('a browser may call itself anything and promise no keep-alive', async (t) => {
  const { broker, web_port } = await startBroker(t)
  await browser(t, web_port, 'sds_one', { clientId: 'a/+#é', username: '#', keepalive: 0 })
  await browser(t, web_port, 'sds_one', { clientId: '', username: '' })
  assert.equal(broker.counts().browsers, 2)
})

test("a browser's connections end with its session, the others stay", async (t) => {
  const { broker, web_port } = await startBroker(t)
  const ending = await Promise.all([browser(t, web_port, 'sds_one'), browser(t, web_port, 'sds_one')])
  await browser(t, web_port, 'sds_two')
  const closed = ending.map((client) => new Promise((resolve) => client.once('close', () => resolve(true))))
  broker.disconnectBrowsers(1)
  await Promise.all(closed)
  assert.deepEqual(
    [...broker.browsers()].map((who) => who.session_id),
    [2],
  )
})

test('a session that ends while its browser is being admitted lets it in no more', async (t) => {
  const admitted = Promise.withResolvers<KnownBrowser>()
  let asked = false
  const { broker, web_port } = await startBroker(t, {
    admitBrowser() {
      asked = true
      return admitted.promise
    },
  })
  const refused = assert.rejects(browser(t, web_port, 'sds_one'), { code: 4 })
  await until(() => asked)
  broker.disconnectBrowsers(9)
  admitted.resolve({ session_id: 9, user_id: 9, company_id: 9, scope: 'all', most_of_company: 500 })
  await refused
})

test('devices and browsers share the path, and neither sees the other', async (t) => {
  const { broker, web_port } = await startBroker(t)
  const one = await device(t, `ws://127.0.0.1:${web_port}/mqtt`, 'dev-1')
  const client = await browser(t, web_port, 'sds_one')
  const heard = messagesOf(client)
  await client.subscribeAsync(['devices/status', '/front/change'])
  await one.publishAsync('devices/dev-1/status', '{}', { qos: 1 })
  await sleep(20)
  assert.deepEqual(heard, [])
  assert.deepEqual(broker.counts(), { devices: 1, browsers: 1, pending: 0 })
})

for (const [whose, of] of Object.entries({
  session: (n: number) => ({ session_id: 1, user_id: n, company_id: n }),
  user: (n: number) => ({ session_id: n, user_id: 1, company_id: n }),
  company: (n: number) => ({ session_id: n, user_id: n, company_id: 1 }),
})) {
  test(`of one ${whose} so many browsers are let in, and others come in as before`, async (t) => {
    let asked = 0
    const admitBrowser = (token: string): Promise<KnownBrowser> => {
      const ids = token === 'sds_two' ? { session_id: 99, user_id: 99, company_id: 99 } : of(++asked)
      return Promise.resolve({ ...ids, scope: 'all', most_of_company: whose === 'company' ? 2 : 500 })
    }
    const limits = { browsers_per_session: 2, browsers_per_user: 2 }
    const { web_port } = await startBroker(t, { limits, admitBrowser })
    const first = await browser(t, web_port, 'sds_one')
    await browser(t, web_port, 'sds_one')
    await assert.rejects(browser(t, web_port, 'sds_one'), { code: 3 })
    await browser(t, web_port, 'sds_two')
    await first.endAsync()
    await browser(t, web_port, 'sds_one')
  })
}
