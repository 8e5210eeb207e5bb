import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { actsOf, connectAt, startAt } from '#test/at-broker.ts'
import { eventually } from '#test/device.ts'
import { preparedDatabase } from '#test/engine.ts'
import { startMosquitto, type TestBroker } from '@sdd/mqtt/test/mosquitto.ts'
import { startServer, type TestServer } from '#test/server.ts'

/** Two servers over one PostgreSQL, with devices at one broker. */
let broker: TestBroker
let url: string
let one: Awaited<ReturnType<typeof startAt>>
let other: TestServer | undefined
const folders: string[] = []

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-at-broker-'))
  folders.push(folder)
  return folder
}

before(async () => {
  broker = await startMosquitto({ clients: 'known' })
  url = await preparedDatabase()
  one = await startAt(broker, { folder: newFolder(), settings: { DATABASE_URL: url } })
  other = await start()
})
after(async () => {
  await Promise.all([one?.server.stop(), other?.stop()])
  await broker.stop()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function start(): Promise<TestServer> {
  return startServer({ folder: newFolder(), settings: { DATABASE_URL: url, MQTT_URL: broker.url } })
}

async function metric(server: TestServer, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

test('two servers share the devices’ reports, give no message twice, and show the same state', async () => {
  const devices = []
  for (let i = 0; i < 4; i++) {
    const device = await connectAt(await one.link(`d${i}`))
    devices.push(device)
    await one.status(device.uid, 'connected', 15_000)
  }
  const there = actsOf(other!, one.token)
  const guids: string[] = []
  for (let i = 0; i < 24; i++) {
    const { uid } = devices[i % 4]!
    const { status, body } = await (i % 2 === 0 ? one : there).send(uid)
    assert.equal(status, 200, JSON.stringify(body))
    guids.push(body.guid)
  }
  await Promise.all(
    devices.map(async (device, i) => {
      for (const guid of guids.filter((_, n) => n % 4 === i)) {
        await device.given(guid)
        await device.report({ guid, state: 'accepted' })
        await device.report({ guid, state: 'sent' })
        await device.acked(guid, 'sent')
      }
    }),
  )
  const given = devices.flatMap((device) =>
    device.sends().map((command) => (command.type === 'send' ? command.guid : '')),
  )
  assert.deepEqual(given.toSorted(), guids.toSorted(), 'each once')
  for (const guid of guids) {
    assert.equal((await one.entry(guid)).state, 'sent')
    assert.equal((await there.entry(guid)).state, 'sent')
  }
  assert.deepEqual(
    await Promise.all([one.server, other!].map((server) => metric(server, 'sdd_broker_leads'))),
    [1, 0],
  )
  for (const device of devices) await device.stop()
  for (const { uid } of devices) await there.status(uid, 'disconnected')
})

test('if the server that tracks presence stops, another takes over, and no device is shown as disconnected', async () => {
  const device = await connectAt(await one.link('stays'))
  const there = actsOf(other!, one.token)
  await there.status('stays', 'connected')
  const seen: string[] = []
  const looking = setInterval(
    () => void there.device('stays').then((row) => row && seen.push(row.status)),
    50,
  )
  await one.server.stop()
  await eventually(async () => (await metric(other!, 'sdd_broker_leads')) === 1, 20_000)
  const late = await connectAt(await there.link('late'))
  await there.status('late', 'connected')
  const { guid } = (await there.send('stays')).body
  await device.given(guid)
  await device.report({ guid, state: 'sent' })
  await device.acked(guid, 'sent')
  clearInterval(looking)
  assert.deepEqual([...new Set(seen)], ['connected'])
  await Promise.all([device.stop(), late.stop()])
  one = { ...one, server: await start() }
})

test('messages that the broker kept for a removed server are taken by another', async () => {
  const left = one.server
  const there = actsOf(other!, one.token)
  const device = await connectAt(await there.link('talks'))
  await there.status('talks', 'connected')
  await left.stop()
  const guids: string[] = []
  for (let i = 0; i < 6; i++) {
    const { guid } = (await there.send('talks')).body
    guids.push(guid)
    await device.given(guid)
    // The broker gives every other report to a session without a client.
    await device.report({ guid, state: 'sent' })
  }
  for (const guid of guids) await eventually(() => device.acks().includes(`${guid} sent`), 25_000)
  await device.stop()
  one = { ...one, server: await start() }
})
