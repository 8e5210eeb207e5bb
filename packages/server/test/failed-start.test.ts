import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { createWebhook, listCallbacks } from '@sdd/contract/outward/callbacks.ts'
import { HOUR, testClock } from './clock.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { type Answer, startReceiver } from './receiver.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

/** A CONNACK. */
const NOT_AUTHORIZED = Buffer.of(0x20, 2, 0, 5)

test('a start that fails ends, also while an answer to a callback waits for the doors', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdd-failed-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const clock = testClock('2026-06-10T08:00:00Z')
  const down: Answer = (_, response) => response.writeHead(503).end()
  const receiver = await startReceiver(down)
  t.after(() => receiver.stop())
  const settings = { CALLBACK_ADDRESSES: 'any', TWILIO: 'on' }
  const first = await startServer({ clock, folder, settings })
  const { token } = await enter(first, ADMIN.username, ADMIN.password)
  const may = ['tasks:write', 'tasks:read', 'inbox:read'] as const
  const { body: key } = await call(first, createApiKey, { token, body: { name: 'shop', may: [...may] } })
  const hook = { url: receiver.url, types: ['sms.received'], format: 'twilio', api_key_id: key.id }
  assert.equal((await call(first, createWebhook, { token, body: hook })).status, 201)
  const device = await connectDevice(await linkTestDevice(first, token, 'drone'))
  await device.publish('inbox', {
    id: 'in-1',
    from: '+34600111222',
    text: 'hola',
    at: '2026-06-10T08:00:00Z',
  })
  await eventually(async () => (await call(first, listCallbacks, { token })).body.callbacks[0]?.tries === 1)
  await device.stop()
  await first.stop()

  clock.advance(HOUR)
  const refused = Promise.withResolvers<void>()
  receiver.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' }).end('<Response><Message>yes</Message></Response>')
    // The server has read the answer by then, and the start still waits for the broker.
    setTimeout(refused.resolve, 300)
  }
  const broker = createServer((socket) => {
    socket.on('error', () => {})
    void refused.promise.then(() => socket.end(NOT_AUTHORIZED))
  })
  broker.listen(0, '127.0.0.1')
  await once(broker, 'listening')
  t.after(() => void broker.close())
  const MQTT_URL = `mqtt://server:secret@127.0.0.1:${(broker.address() as AddressInfo).port}`
  await assert.rejects(startServer({ clock, folder, settings: { ...settings, MQTT_URL } }), /MQTT_URL/)
})
