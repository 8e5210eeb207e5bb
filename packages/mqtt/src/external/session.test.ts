import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAsync, type MqttClient } from 'mqtt'
import { startMosquitto, type TestBroker } from '#test/mosquitto.ts'
import { until as eventually } from '#test/raw-client.ts'
import { openSession, RECEIVE_MAXIMUM } from './session.ts'

let broker: TestBroker
let client: MqttClient
before(async () => {
  broker = await startMosquitto({ clients: 'all' })
  client = await connectAsync(broker.url, { clientId: 'd1', reconnectPeriod: 0 }, false)
})
after(async () => {
  await client.endAsync()
  await broker.stop()
})

let names = 0

function open({
  topic = 'clients/+/reports',
  client_id = `server-${++names}`,
  keep_secs = 60,
}: { topic?: string; client_id?: string; keep_secs?: number } = {}) {
  const came: { text: string; taken: () => void }[] = []
  const endings: string[] = []
  const session = openSession({
    address: { url: broker.url },
    client_id,
    keep_secs,
    subscriptions: [topic],
    take(_topic, payload) {
      const { promise, resolve } = Promise.withResolvers<void>()
      came.push({ text: String(payload), taken: resolve })
      return promise
    },
    ended: (why) => endings.push(why),
  })
  const texts = () => came.map(({ text }) => text)
  const until = (count: number) => eventually(() => came.length >= count)
  return { session, came, endings, texts, until, client_id }
}

const publish = (text: string, name = 'd1') =>
  client.publishAsync(`clients/${name}/reports`, text, { qos: 1 })

test('a message that was not taken is not acknowledged, and comes again to the next connection', async () => {
  const first = open()
  assert.deepEqual(await first.session.opened, { kept: false })
  await publish('one')
  await publish('two')
  await publish('three')
  await first.until(3)
  first.came[0]!.taken()
  await eventually(() => first.session.taking() === 2)
  first.session.cut('gone')
  const second = open(first)
  assert.deepEqual(await second.session.opened, { kept: true })
  await second.until(2)
  assert.deepEqual(second.texts(), ['two', 'three'])
  for (const { taken } of second.came) taken()
  await eventually(() => second.session.taking() === 0)
  await second.session.leave(60)
  const third = open(first)
  await third.session.opened
  await publish('four')
  await third.until(1)
  assert.deepEqual(third.texts(), ['four'])
  third.came[0]!.taken()
  await third.session.leave(0)
})

test('acknowledgements leave in the order of the messages, whichever is taken first', async () => {
  const { session, came, until } = open()
  await session.opened
  await publish('one')
  await publish('two')
  await until(2)
  came[1]!.taken()
  await publish('three')
  await until(3)
  assert.equal(session.taking(), 3)
  came[0]!.taken()
  await eventually(() => session.taking() === 1)
  came[2]!.taken()
  await session.leave(0)
})

test('no more messages arrive than may be in progress', async () => {
  const { session, came, until } = open()
  await session.opened
  const count = RECEIVE_MAXIMUM + 50
  await Promise.all(Array.from({ length: count }, (_, i) => publish(`${i}`)))
  await until(RECEIVE_MAXIMUM)
  assert.equal(came.length, RECEIVE_MAXIMUM)
  for (let i = 0; i < count; i++) {
    await until(i + 1)
    came[i]!.taken()
  }
  assert.deepEqual(
    came.map(({ text }) => Number(text)),
    Array.from({ length: count }, (_, i) => i),
  )
  await session.leave(0)
})

test('a session that ended with nothing to keep gets none of the later messages', async () => {
  const first = open()
  await first.session.opened
  await first.session.leave(0)
  await publish('lost')
  const second = open(first)
  assert.deepEqual(await second.session.opened, { kept: false })
  await publish('heard')
  await second.until(1)
  assert.deepEqual(second.texts(), ['heard'])
  second.came[0]!.taken()
  await second.session.leave(0)
})

test('two sessions share a shared subscription, and each message is taken once', async () => {
  const [one, other] = [open({ topic: '$share/us/shared/+/x' }), open({ topic: '$share/us/shared/+/x' })]
  await Promise.all([one.session.opened, other.session.opened])
  for (let i = 0; i < 10; i++) await client.publishAsync(`shared/${i}/x`, `${i}`, { qos: 1 })
  await eventually(() => one.came.length + other.came.length === 10)
  assert.equal(new Set([...one.texts(), ...other.texts()]).size, 10)
  assert.ok(one.came.length > 0 && other.came.length > 0)
  await Promise.all([one.session.leave(0), other.session.leave(0)])
})

test('a new connection with the same client id replaces the earlier one', async () => {
  const first = open()
  await first.session.opened
  const second = open(first)
  await second.session.opened
  await eventually(() => first.endings.length === 1)
  await second.session.leave(0)
})

test('more is published than the broker takes at once, and all of it arrives', async () => {
  const heard: string[] = []
  client.on('message', (_, payload) => heard.push(String(payload)))
  await client.subscribeAsync('clients/d1/commands', { qos: 1 })
  const { session } = open()
  await session.opened
  for (let i = 0; i < 500; i++) assert.equal(session.send('clients/d1/commands', `${i}`), true)
  await eventually(() => heard.length === 500)
  assert.deepEqual(
    heard.map(Number),
    Array.from({ length: 500 }, (_, i) => i),
  )
  await session.leave(0)
  assert.equal(session.send('clients/d1/commands', 'late'), false)
})

test('an unreachable broker ends the session with a reason', async () => {
  const { session, endings } = open({ client_id: 'nobody' })
  await session.opened
  await broker.kill()
  await eventually(() => endings.length === 1)
  const again = open()
  await assert.rejects(again.session.opened, /ECONNREFUSED/)
  await broker.start()
})
