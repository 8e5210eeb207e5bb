import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectAsync } from 'mqtt'
import { pino } from 'pino'
import { eventually } from '#test/device.ts'
import { startMosquitto, type TestBroker } from '#test/mosquitto.ts'
import { keepList } from './admissions.ts'

const log = pino({ level: 'silent' })

function connect(broker: TestBroker, uid: string) {
  return connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
    clientId: uid,
    username: uid,
    password: 'secret',
    reconnectPeriod: 0,
  })
}

test('who was unlinked while the broker was away is taken off its list, and who is not known here stays on it', async (t) => {
  const broker = await startMosquitto({ clients: 'known' })
  t.after(() => broker.stop())
  const needs = { address: { url: broker.url }, client_id: 'server', log, username: 'sms-drone-dash' }
  const first = keepList({ ...needs, unlinked: async () => [] })
  await first.ready()
  for (const uid of ['linked', 'unlinked', 'unknown']) await first.admit(uid, 'secret')
  await first.stop()

  const second = keepList({ ...needs, unlinked: async () => ['unlinked', 'never-there'] })
  t.after(() => second.stop())
  await second.ready()
  await assert.rejects(connect(broker, 'unlinked'), /[Nn]ot authorized/)
  for (const uid of ['linked', 'unknown']) await (await connect(broker, uid)).endAsync()
})

test('while the broker is away nobody is admitted, and who asks is told so', async (t) => {
  const broker = await startMosquitto({ clients: 'known' })
  const needs = { address: { url: broker.url }, client_id: 'server', log, username: 'sms-drone-dash' }
  const admissions = keepList({ ...needs, unlinked: async () => [] })
  t.after(() => admissions.stop())
  await admissions.ready()
  admissions.require()
  await broker.stop()
  await eventually(() => {
    try {
      admissions.require()
      return false
    } catch (error) {
      return (error as { code: string }).code === 'not_ready'
    }
  })
  await assert.rejects(admissions.admit('d1', 'secret'), { code: 'not_ready' })
})
