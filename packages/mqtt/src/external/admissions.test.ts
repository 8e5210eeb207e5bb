import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectAsync } from 'mqtt'
import { pino } from 'pino'
import { startMosquitto, type TestBroker } from '#test/mosquitto.ts'
import { until } from '#test/raw-client.ts'
import { listRules } from '#test/list-rules.ts'
import { admitByList } from './admissions.ts'

const log = pino({ level: 'silent' })
const notConnected = () => new Error('not connected')

function connect(broker: TestBroker, name: string) {
  return connectAsync(
    `mqtt://127.0.0.1:${broker.port}`,
    {
      clientId: name,
      username: name,
      password: 'secret',
      reconnectPeriod: 0,
    },
    false,
  )
}

test('a name expelled while the broker was away is removed from its list, and an unknown name stays on it', async (t) => {
  const broker = await startMosquitto({ clients: 'known' })
  t.after(() => broker.stop())
  const needs = { address: { url: broker.url }, client_id: 'server', log, rules: listRules, notConnected }
  const first = admitByList({ ...needs, expelled: async () => [] })
  await first.ready()
  for (const name of ['allowed', 'expelled', 'unknown']) await first.admit(name, 'secret')
  await first.stop()

  const second = admitByList({ ...needs, expelled: async () => ['expelled', 'never-there'] })
  t.after(() => second.stop())
  await second.ready()
  await assert.rejects(connect(broker, 'expelled'), /[Nn]ot authorized/)
  for (const name of ['allowed', 'unknown']) await (await connect(broker, name)).endAsync()
})

test('while the broker is away no client is admitted, and the caller hears why', async (t) => {
  const broker = await startMosquitto({ clients: 'known' })
  const needs = { address: { url: broker.url }, client_id: 'server', log, rules: listRules, notConnected }
  const admissions = admitByList({ ...needs, expelled: async () => [] })
  t.after(() => admissions.stop())
  await admissions.ready()
  admissions.require()
  await broker.stop()
  await until(() => {
    try {
      admissions.require()
      return false
    } catch (error) {
      return (error as Error).message === 'not connected'
    }
  })
  await assert.rejects(admissions.admit('c1', 'secret'), /unreachable: /)
})
