import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { connectBrowser } from '../packages/server/test/browser.ts'
import { connectDevice, linkTestDevice } from '../packages/server/test/device.ts'
import { enter } from '../packages/server/test/seeds.ts'
import { call } from '../packages/server/test/server.ts'
import { newSettings, PASSWORD, startProcess } from './server-process.ts'

const home = mkdtempSync(join(tmpdir(), 'sdd-stop-'))
after(() => rmSync(home, { recursive: true }))

test('stopping answers requests under way, cuts hanging ones, and ends with 0 within 10 s', async () => {
  const server = await startProcess(await newSettings(home))
  const { token } = await enter(server, 'superadmin', PASSWORD)
  const device = await connectDevice(await linkTestDevice(server, token, 'drone-1'))
  const browser = await connectBrowser(server, token)
  const hangs = openRequest(server.url, token)
  const answered = openRequest(server.url, token)
  await Promise.all([hangs.accepted, answered.accepted])
  const lost = assert.rejects(hangs.response)
  const stopped = server.stop()
  while (await accepts(server.url)) await wait(10)
  answered.finish()
  assert.equal((await answered.response).status, 201)
  assert.equal(await stopped, 0, server.output())
  assert.match(server.output(), /"Stopped"/) // its own limit of 9 s did not end it
  await Promise.all([lost, device.ended, browser.ended])
})

test('a stopping server first tells the balancer, and serves every client for DRAIN_SECS more', async () => {
  const secs = 3
  const server = await startProcess(await newSettings(home, { DRAIN_SECS: String(secs) }))
  const { token } = await enter(server, 'superadmin', PASSWORD)
  const [account, late] = [
    await linkTestDevice(server, token, 'drone-1'),
    await linkTestDevice(server, token, 'drone-2'),
  ]
  const device = await connectDevice(account)
  const began = performance.now()
  const stopped = server.stop()
  while ((await fetch(`${server.url}/readyz`)).status !== 503) await wait(10)
  const code = await fetch(`${server.url}/api/link-codes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"uses":2}',
  })
  assert.deepEqual([code.status, code.headers.get('connection')], [201, 'close'])
  const other = await connectDevice(late)
  await device.publish('status', { status: 'connected', session: device.session, agent: 'test/1' })
  assert.equal(await stopped, 0, server.output())
  assert.ok(performance.now() - began >= secs * 1_000)
  await Promise.all([device.ended, other.ended])
})

test('stored data survives a stop and a kill, and no device is connected until it returns', async () => {
  const given = await newSettings(home)
  const first = await startProcess(given)
  const { token } = await enter(first, 'superadmin', PASSWORD)
  const account = await linkTestDevice(first, token, 'drone-1')
  const listed = async (server: { url: string }) =>
    (await call(server, devices.listDevices, { token })).body.devices.map(({ uid, status }) => [uid, status])
  const device = await connectDevice(account)
  assert.equal(await first.stop(), 0)
  await device.ended

  const second = await startProcess(given)
  assert.deepEqual(await listed(second), [['drone-1', 'disconnected']])
  const back = await connectDevice(account)
  assert.deepEqual(await listed(second), [['drone-1', 'connected']])
  await second.kill()
  await back.ended

  const third = await startProcess(given)
  assert.deepEqual(await listed(third), [['drone-1', 'disconnected']])
  assert.equal(await third.stop('SIGINT'), 0)
})

async function accepts(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/healthz`, { headers: { connection: 'close' } }).catch(() => undefined)
  return answer !== undefined
}

/** A request whose headers and half of its body have arrived. */
function openRequest(url: string, token: string) {
  const accepted = Promise.withResolvers<void>()
  const rest = Promise.withResolvers<void>()
  const bytes = new TextEncoder()
  const body = new ReadableStream({
    async pull(stream) {
      stream.enqueue(bytes.encode('{"uses":'))
      setTimeout(accepted.resolve, 100)
      await rest.promise
      stream.enqueue(bytes.encode(' 2}'))
      stream.close()
    },
  })
  const response = fetch(`${url}/api/link-codes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit)
  return { accepted: accepted.promise, finish: rest.resolve, response }
}
