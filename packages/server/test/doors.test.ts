import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import * as messages from '@sdd/contract/messages/messages.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { connectBrowser } from './browser.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer } from './server.ts'

const CERT = join(import.meta.dirname, 'fixtures/localhost-cert.pem')
const KEY = join(import.meta.dirname, 'fixtures/localhost-key.pem')

/** Sends a message from the console to a device at the address from the link answer; a browser hears of both. */
async function sendThrough(t: TestContext, settings: Record<string, string>) {
  const server = await startServer({ settings })
  t.after(() => server.stop())
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  const browser = await connectBrowser(server, token)
  const account = await linkTestDevice(server, token, 'drone-1')
  const device = await connectDevice(account)
  const body = { device_uid: device.uid, telefono_to: '600111222', mensaje_sms: 'hola' }
  const { guid } = (await call(server, messages.sendSms, { token, body })).body
  assert.equal((await device.until(1))[0]!.guid, guid)
  await device.report({ guid, state: 'sent' })
  const { logs } = (await call(server, listLogs, { token })).body
  assert.equal(logs[0]!.state, 'sent')
  device.vanish()
  await eventually(() => browser.heardOf(device.uid).join() === 'connected,disconnected')
  await browser.stop()
  return { server, account }
}

test('with a certificate everything is served over TLS, and devices are directed to MQTTS', async (t) => {
  setDefaultCACertificates([readFileSync(CERT, 'utf8')])
  const tls = { TLS_CERT_FILE: CERT, TLS_KEY_FILE: KEY }
  const { server, account } = await sendThrough(t, tls)
  assert.match(server.url, /^https:/)
  assert.match(account.mqtt_url, /^mqtts:\/\/127\.0\.0\.1:\d+$/)
  const answer = await fetch(`${server.url}/readyz`)
  assert.match(answer.headers.get('strict-transport-security')!, /max-age=\d{6}/)
  await assert.rejects(fetch(`${server.url.replace('https', 'http')}/readyz`))
  const plain = await connectDevice({ ...account, mqtt_url: server.mqtt_url })
  await plain.stop()
})

test('without an MQTT port, devices are directed to the WebSocket and connect over it', async (t) => {
  const { server, account } = await sendThrough(t, { MQTT_PORT: 'off' })
  assert.equal(server.mqtt_port, undefined)
  assert.equal(account.mqtt_url, `${server.url.replace('http', 'ws')}/mqtt`)
  await assert.rejects(connectDevice({ ...account, secret: 'wrong' }), /Bad username or password/)
})
