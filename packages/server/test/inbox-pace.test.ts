import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { connectDevice, eventually, linkTestDevice, type TestDevice } from './device.ts'
import { startMessaging } from './messaging.ts'
import { call } from './server.ts'
import { withTables } from './engine.ts'

const { server, token, send } = await startMessaging()
after(() => server.stop())

const AT = '2026-06-10T08:00:00Z'

/** Publishes this many received SMS at once; `acknowledged` collects the acknowledged ids. */
function flood(device: TestDevice, count: number, first = 0) {
  const acknowledged = new Set<string>()
  for (let n = first; n < first + count; n++) {
    const id = `sms ${n}`
    const sms = { id, from: '+34600111222', text: 'x'.repeat(1_000), at: AT }
    void device.publish('inbox', sms).then(
      () => acknowledged.add(id),
      () => {},
    )
  }
  return acknowledged
}

function storedOf(uid: string): Promise<string[]> {
  return withTables(server, async ({ all }) => {
    const rows = await all(
      'select sms_id from inbox join devices on devices.id = device_id where uid = ? order by inbox.id',
      uid,
    )
    return rows.map((row) => String(row['sms_id']))
  })
}

const shownOf = async (uid: string) =>
  (await call(server, devices.listDevices, { token })).body.devices.find((device) => device.uid === uid)!

test('60 SMS of a device are accepted at once, then one a second, and its reports overtake them', async () => {
  const device = await connectDevice(await linkTestDevice(server, token, 'flooding'))
  assert.equal((await shownOf('flooding')).inbox_slowed_at, undefined)
  const began = performance.now()
  const acknowledged = flood(device, 90)
  await eventually(() => acknowledged.size >= 60)
  const { guid } = (await send(device)).body
  await device.until(1)
  await device.report({ guid, state: 'sent' })
  const most = () => 61 + (performance.now() - began) / 1_000
  assert.ok(acknowledged.size < Math.min(90, most()), `${acknowledged.size} were taken`)
  await eventually(() => acknowledged.size >= 63, 10_000)
  assert.ok(acknowledged.size < most(), `${acknowledged.size} were taken`)
  assert.ok((await shownOf('flooding')).inbox_slowed_at, 'the console shows it')
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  assert.match(metrics, /^sdd_inbox_slowed_total [1-9]/m)
  device.vanish()
  await device.ended
})

test('a reconnecting device gets no extra room, keeps its acknowledgements, and sends the rest again', async () => {
  const linked = await linkTestDevice(server, token, 'returning')
  const began = performance.now()
  const first = await connectDevice(linked)
  const before = flood(first, 70)
  await eventually(() => before.size >= 60)
  first.vanish()
  await first.ended
  const second = await connectDevice(linked)
  const again = flood(second, 70, 60)
  await second.report({ guid: 'any', state: 'sent' })
  const stored = await storedOf('returning')
  assert.ok(stored.length <= 61 + (performance.now() - began) / 1_000, `${stored.length} are stored`)
  for (const id of before) assert.ok(stored.includes(id), `${id} was acknowledged`)
  assert.ok(again.size < 15, `${again.size} were accepted at once`)
  second.vanish()
  await second.ended
  const other = await connectDevice(await linkTestDevice(server, token, 'other'))
  const others = flood(other, 60)
  await eventually(() => others.size === 60)
  await other.stop()
})
