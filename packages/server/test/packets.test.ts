import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { subscribe } from '@sdd/mqtt/codec/from-client.ts'
import { publish } from '@sdd/mqtt/codec/publish.ts'
import { rawClient } from '@sdd/mqtt/test/raw-client.ts'
import { eventually, linkTestDevice } from './device.ts'
import { connectPacket, rawDevice } from './raw-device.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

const KIB = 1024

let server: TestServer
let token: string

before(async () => {
  server = await startServer()
  token = (await enter(server, ADMIN.username, ADMIN.password)).token
})
after(() => server.stop())

async function newRaw(t: TestContext, uid: string) {
  const { secret } = await linkTestDevice(server, token, uid)
  return rawDevice(t, server.mqtt_port!, uid, { password: secret })
}

function packet(uid: string, part: string, payload: unknown, packet_id: number): Uint8Array {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return publish(`devices/${uid}/${part}`, text, packet_id)
}

async function isListed(uid: string, status: string): Promise<boolean> {
  const { body } = await call(server, devices.listDevices, { token })
  return body.devices.some((device) => device.uid === uid && device.status === status)
}

test('an oversized packet ends its connection: 4 KiB before an accepted CONNECT, 64 KiB of payload after', async (t) => {
  const stranger = await rawClient(t, server.mqtt_port!)
  stranger.send(connectPacket('stranger', { password: Buffer.alloc(4 * KIB, 'x') }))
  await stranger.closed
  const device = await newRaw(t, 'large')
  const full = JSON.stringify({ wifi: { ssid: 'full' } }).padEnd(64 * KIB, ' ')
  device.send(packet('large', 'networks', full, 1))
  assert.deepEqual(await device.next().then(({ type, packet_id }) => [type, packet_id]), ['puback', 1])
  device.send(packet('large', 'networks', `${full} `, 2))
  await device.closed
  const { body } = await call(server, devices.readNetworks, { token, params: { uid: 'large' } })
  assert.equal(body.wifi?.ssid, 'full')
})

test('200 packets in one TCP segment are all handled, in order', async (t) => {
  const uid = 'hurried'
  const device = await newRaw(t, uid)
  device.send(subscribe(1, [`devices/${uid}/commands`]))
  device.send(packet(uid, 'status', { status: 'connected', session: 's' }, 2))
  await eventually(() => isListed(uid, 'connected'))
  const sms = { device_uid: uid, telefono_to: '600111222', mensaje_sms: 'hola' }
  const queued = Array.from({ length: 10 }, () => call(server, messages.sendSms, { token, body: sms }))
  const guids = (await Promise.all(queued)).map(({ body }) => body.guid)
  const at = new Date().toISOString()
  const reports = ['accepted', 'sent', 'delivered'].flatMap((state) =>
    guids.map((guid) => ({ guid, state, at })),
  )
  const packets = Array.from({ length: 200 }, (_, n) =>
    n < 170
      ? packet(uid, 'networks', { wifi: { ssid: `network ${n}` } }, n + 1)
      : packet(uid, 'reports', reports[n - 170], n + 1),
  )
  for (let seen = 0; seen < 10;) if ((await device.next()).type === 'publish') seen++
  device.send(...packets)
  const acks: (number | undefined)[] = []
  while (acks.length < 200) {
    const { type, packet_id } = await device.next()
    if (type === 'puback') acks.push(packet_id)
  }
  assert.deepEqual(
    acks,
    packets.map((_, n) => n + 1),
  )
  const { body } = await call(server, devices.readNetworks, { token, params: { uid } })
  assert.equal(body.wifi?.ssid, 'network 169')
  const log = await call(server, listLogs, { token, query: { device_uid: uid } })
  assert.deepEqual(new Set(log.body.logs.map(({ state }) => state)), new Set(['delivered']))
})

test('a device that sends its bytes one by one is understood', async (t) => {
  const uid = 'slow'
  const { secret } = await linkTestDevice(server, token, uid)
  const device = await rawClient(t, server.mqtt_port!)
  device.socket.setNoDelay(true)
  const bytes = [
    connectPacket(uid, { password: secret }),
    packet(uid, 'status', { status: 'connected', session: 's' }, 1),
  ]
  for (const byte of Buffer.concat(bytes)) {
    device.send(Buffer.from([byte]))
    await setImmediate()
  }
  assert.equal((await device.next()).type, 'connack')
  assert.equal((await device.next()).type, 'puback')
  assert.ok(await isListed(uid, 'connected'))
})
