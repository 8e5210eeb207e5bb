import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { subscribe, unsubscribe } from '@sdd/mqtt/codec/from-client.ts'
import { puback, publish } from '@sdd/mqtt/codec/publish.ts'
import { changed, type RawClient, rawClient } from '@sdd/mqtt/test/raw-client.ts'
import { type ServerChild, startChild } from './child.ts'
import { eventually, linkTestDevice } from './device.ts'
import { startNeighbour } from './neighbour.ts'
import { connectPacket, rawDevice } from './raw-device.ts'
import { openSockets, pour } from './sockets.ts'

let server: ServerChild
let under: Awaited<ReturnType<typeof startNeighbour>>

before(async () => {
  server = await startChild({ LOG_LEVEL: 'info' })
  under = await startNeighbour(server)
  await wait(500)
})

const ended = (why: string) => server.figure('sdd_connections_ended', `why="${why}"`)
const refused = (why: string) => server.figure('sdd_connections_refused', `why="${why}"`)

const secrets = new Map<string, string>()

/** An admitted device that sends raw packets. It retries while too many of its earlier connections are still ending. */
async function admitted(
  t: TestContext,
  uid: string,
  more: Parameters<typeof rawDevice>[3] = {},
): Promise<RawClient> {
  const secret = secrets.get(uid) ?? (await linkTestDevice(server, server.token, uid)).secret
  secrets.set(uid, secret)
  const connect = () => rawDevice(t, server.mqtt_port, uid, { password: secret, ...more })
  return eventually(
    () =>
      connect().catch((error: Error) => {
        if (!error.message.includes('"code":3')) throw error
        return undefined
      }),
    20_000,
  )
}

function published(
  uid: string,
  part: string,
  payload: string | Uint8Array,
  packet_id: number,
  topic = `devices/${uid}/${part}`,
): Uint8Array {
  return publish(topic, payload, packet_id)
}

const subscribed = (...topics: string[]) => subscribe(1, topics, 1)

const MINE = 'devices/rude/commands'

/** Packets that end the connection of an admitted device. */
const breaches: Record<string, Uint8Array> = {
  'a second CONNECT': connectPacket('rude'),
  'a PUBLISH of QoS 2': changed(published('rude', 'reports', '[]', 1), 0, 0x34),
  'a PUBLISH of QoS 3': changed(published('rude', 'reports', '[]', 1), 0, 0x36),
  'a retained PUBLISH': changed(published('rude', 'reports', '[]', 1), 0, 0x33),
  'a PUBLISH with the packet id 0': changed(published('rude', 'reports', '', 1), 25, 0),
  'a PUBLISH of 70,000 bytes': published('rude', 'reports', Buffer.alloc(70_000), 1),
  'a PUBLISH for another device': published('neighbour', 'status', '{}', 1),
  'a PUBLISH to a wildcard': published('rude', '', '', 1, 'devices/+/reports'),
  'a PUBLISH whose topic is longer than itself': Buffer.of(0x32, 4, 0xff, 0xff, 1, 1),
  'a SUBSCRIBE to everything': subscribed('#'),
  'a SUBSCRIBE to all devices': subscribed('devices/+/commands'),
  'a SUBSCRIBE to nine topics': subscribed(...Array.from({ length: 9 }, () => MINE)),
  'a SUBSCRIBE to four hundred topics': subscribed(...Array.from({ length: 400 }, (_, n) => `t/${n}`)),
  'a SUBSCRIBE to nothing': Buffer.of(0x82, 2, 0, 1),
  'a SUBSCRIBE with the packet id 0': changed(subscribed(MINE), 3, 0),
  'a SUBSCRIBE with other flags': changed(subscribed(MINE), 0, 0x80),
  'a PINGREQ with a body': Buffer.of(0xc0, 1, 0),
  'a PUBACK of three bytes': Buffer.of(0x40, 3, 0, 1, 0),
  'a PUBREL': Buffer.of(0x62, 2, 0, 1),
  'the reserved type 0': Buffer.of(0x00, 0),
  'the reserved type 15': Buffer.of(0xf0, 0),
  'what only a server sends': Buffer.of(0x20, 2, 0, 0),
  'a length of five bytes': Buffer.of(0x32, 0xff, 0xff, 0xff, 0xff, 0x01),
  'a length of 256 MiB': Buffer.of(0x32, 0xff, 0xff, 0xff, 0x7f),
}

test('every protocol breach ends only its own connection, is counted, and is logged once', (t) =>
  under(t, async () => {
    const before = await ended('breach')
    for (const [what, bytes] of Object.entries(breaches)) {
      const device = await admitted(t, 'rude')
      device.send(bytes)
      const end = await Promise.race([
        device.closed.then(() => 'ended'),
        wait(15_000, 'open', { ref: false }),
      ])
      assert.equal(end, 'ended', what)
    }
    await eventually(async () => (await ended('breach')) - before === Object.keys(breaches).length)
    const lines = server.output().match(/.*"breach":.*/g)!
    assert.ok(lines.length >= 1 && lines.length < 6, `${lines.length} lines`)
    assert.doesNotMatch(server.output(), new RegExp(secrets.get('rude')!))
  }))

test('before an accepted CONNECT, no other packet and no more than 4 KiB are accepted', (t) =>
  under(t, async () => {
    const before = await ended('breach')
    const strangers: Uint8Array[] = [
      Buffer.of(0xc0, 0),
      subscribed('#'),
      connectPacket('x', { password: Buffer.alloc(5_000, 'x') }),
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      Buffer.from('160301020001000100', 'hex'), // the beginning of TLS
    ]
    for (const bytes of strangers) {
      const client = await rawClient(t, server.mqtt_port)
      client.send(bytes)
      await client.closed
    }
    await eventually(async () => (await ended('breach')) - before === strangers.length)
  }))

test('odd packet ids do no harm: a reused one, and a PUBACK for an unknown one', async (t) => {
  const device = await admitted(t, 'odd')
  device.send(puback(4_711), unsubscribe(9, ['devices/odd/commands']))
  assert.equal((await device.next()).type, 'unsuback')
  const networks = published('odd', 'networks', '{"wifi":null,"mobile":null}', 7)
  device.send(networks, networks, changed(networks, 0, 0x3a))
  for (let ack = 0; ack < 3; ack++) {
    const { type, packet_id } = await device.next()
    assert.deepEqual([type, packet_id], ['puback', 7])
  }
})

test('of 3,000 connections without a complete CONNECT, the oldest are closed for a device with one', (t) =>
  under(t, async () => {
    const half = connectPacket('nobody').subarray(0, 20)
    await linkTestDevice(server, server.token, 'prompt').then(({ secret }) => secrets.set('prompt', secret))
    const sockets = await openSockets(t, server.mqtt_port, 3_000)
    for (const socket of sockets) socket.resume().write(half)
    const prompt = await admitted(t, 'prompt')
    prompt.socket.end()
    await eventually(async () => (await ended('crowded')) >= 3_000 - 2_048, 20_000)
    await eventually(async () => (await ended('no_connect')) >= 2_000, 20_000)
    assert.equal(await refused('crowded'), 0)
    assert.match(server.output(), /"cause":"crowded"/)
  }))

test('thousands of wrong secrets are all answered, each with its CONNACK', (t) =>
  under(t, async () => {
    const before = await refused('credentials')
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => rawClient(t, server.mqtt_port)))
    for (const client of clients) client.send(connectPacket('neighbour'))
    const answers = await Promise.all(clients.map((client) => client.next()))
    for (const answer of answers) assert.equal(answer.type === 'connack' && answer.code, 4)
    assert.equal((await refused('credentials')) - before, 1_000)
  }))

test('a device that floods PINGREQ and reads nothing is read at its own pace, without holding memory', (t) =>
  under(t, async () => {
    const before = await server.figure('sdd_connections_slowed')
    const floods = ['ping-1', 'ping-2', 'ping-3'].map(async (uid) => {
      const { socket } = await admitted(t, uid)
      socket.pause()
      const flooding = pour(socket, Buffer.from('c000'.repeat(32_768), 'hex'), 50 * 1024 * 1024)
      await Promise.race([flooding, wait(2_000)])
      socket.destroy()
    })
    await Promise.all(floods)
    assert.ok((await server.figure('sdd_connections_slowed')) - before >= 6)
  }))

test('a flood of reports from one device is handled at its own pace, without delaying others', (t) =>
  under(t, async () => {
    const device = await admitted(t, 'eager')
    const at = new Date().toISOString()
    const reports = JSON.stringify(
      Array.from({ length: 100 }, (_, n) => ({ guid: `unknown-${n}`, state: 'sent', at })),
    )
    const batch = Buffer.concat(
      Array.from({ length: 50 }, (_, n) => published('eager', 'reports', reports, n + 1)),
    )
    let acks = 0
    void (async () => {
      for (;;) if ((await device.next()).type === 'puback') acks++
    })().catch(() => {})
    await Promise.race([pour(device.socket, batch, 100 * 1024 * 1024), wait(2_000)])
    assert.ok(acks > 0, 'its reports are accepted meanwhile')
    t.diagnostic(`${acks} packets of 100 reports in 2 s`)
    device.socket.destroy()
    const lines = () => server.output().match(/.*Dropped a report.*/g)
    await eventually(() => lines() !== null)
    assert.ok(lines()!.length <= 3, `${lines()!.length} lines, but one in ten seconds is logged`)
  }))

test('garbage is dropped and acknowledged, and fills neither the log nor the memory', (t) =>
  under(t, async () => {
    const device = await admitted(t, 'rubbish')
    const deep = published('rubbish', 'networks', '{"wifi":'.repeat(7_000) + '1' + '}'.repeat(7_000), 1)
    const wide = published('rubbish', 'networks', `{"mobile":{"sims":[${'{},'.repeat(20_000)}{}]}}`, 2)
    const wrong = (place: number) => {
      const sims = `${'{},'.repeat(place)}{"roaming":1}`
      return published('rubbish', 'networks', `{"mobile":{"sims":[${sims}]}}`, 6)
    }
    const lists = published('rubbish', 'reports', `[${'[],'.repeat(20_000)}[]]`, 3)
    const invalid = published('rubbish', 'reports', `[${'{},'.repeat(90)}{}]`, 4)
    const none = published('rubbish', 'inbox', Buffer.alloc(60_000, 0xff), 5)
    let acks = 0
    void (async () => {
      for (;;) if ((await device.next()).type === 'puback') acks++
    })().catch(() => {})
    for (let round = 0; round < 16; round++) device.send(deep, wide, lists, invalid, none, wrong(round))
    await eventually(() => acks === 16 * 6, 30_000)
    await eventually(() => server.output().includes('Dropped a payload'))
    const lines = server.output().match(/.*Dropped a payload.*/g)!
    assert.ok(lines.length <= 60, `${lines.length} lines`)
    const text = await (await fetch(`${server.url}/metrics`)).text()
    const labels = text.split('\n').filter((line) => line.startsWith('sdd_dropped_payloads_total'))
    assert.ok(labels.length < 8, labels.join('\n'))
  }))

test('an unfinished packet does not count as a sign of life', (t) =>
  under(t, async () => {
    const before = await ended('keep_alive')
    const device = await admitted(t, 'endless', { keep_alive_secs: 1 })
    device.send(published('endless', 'networks', Buffer.alloc(60_000, ' '), 1).subarray(0, 100))
    const dripping = setInterval(() => device.socket.write(' '), 50)
    await device.closed
    clearInterval(dripping)
    await eventually(async () => (await ended('keep_alive')) - before === 1)
  }))
