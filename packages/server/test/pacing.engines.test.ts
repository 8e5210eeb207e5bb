import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { listLogs, readMessage } from '@sdd/contract/insight/log.ts'
import { startMessaging } from './messaging.ts'
import { call } from './server.ts'

const { server, token, newDevice, send, entryOf, setLimit, setGlobal } = await startMessaging()
after(() => server.stop())

function errorOf(answer: { status: number; body: { code: string } }) {
  return [answer.status, answer.body.code]
}

test('a device holds at most ten unfinished messages', async () => {
  const device = await newDevice()
  for (let n = 0; n < 13; n++) await send(device)
  await device.until(10)
  const waiting = await call(server, listLogs, {
    token,
    query: { device_uid: device.uid, limit: '1' },
  })
  assert.match(waiting.body.logs[0]!.waiting_for!, /10 unfinished/)
  await device.catchUp()
  assert.equal(device.commands.length, 10)
  await device.report({ guid: device.commands[0]!.guid, state: 'sent' })
  await device.until(11)
  await device.report(...device.commands.map(({ guid }) => ({ guid, state: 'sent' as const })))
  await device.until(13)
})

test('the daily limit counts parts when they are handed over, and returns those that did not go on air', async () => {
  const device = await newDevice()
  await setLimit(device, 3)
  const sentToday = async () => {
    const { body } = await call(server, devices.listDevices, { token })
    return body.devices.find((row: devices.Device) => row.uid === device.uid)?.sent_today
  }
  const { guid } = (await send(device, { mensaje_sms: 'x'.repeat(200) })).body
  await device.until(1)
  assert.equal(await sentToday(), 2)
  assert.deepEqual(errorOf(await send(device, { mensaje_sms: 'x'.repeat(200) })), [429, 'daily_limit'])
  await device.report({ guid, state: 'failed', code: 'no_network' })
  assert.equal(await sentToday(), 0)
  const again = (await send(device, { mensaje_sms: 'x'.repeat(200) })).body
  await device.until(2)
  await device.report({ guid: again.guid, state: 'failed', code: 'unknown_outcome' })
  assert.equal(await sentToday(), 2)
  assert.equal((await entryOf(again.guid)).state, 'uncertain')
})

/** When the server handed over the message; the arrival time would include the speed of this machine. */
async function givenAt(guid: string): Promise<number> {
  const { body } = await call(server, readMessage, { token, params: { guid } })
  return Date.parse(/given (\S+)/.exec(String(body.attempt_1))![1]!)
}

test('messages go out no closer together than the spoof time, and waiting ones say until when', async () => {
  const device = await newDevice()
  await setGlobal({ spoof_time_secs: 1 })
  const first = (await send(device)).body
  const second = (await send(device)).body
  await device.until(1)
  const waiting = await entryOf(second.guid)
  assert.match(waiting.waiting_for!, /Pacing.*every 1 s.*\d{4}-\d\d-\d\dT/)
  await device.until(2)
  const gap_ms = (await givenAt(second.guid)) - (await givenAt(first.guid))
  assert.ok(gap_ms >= 1_000, `${gap_ms} ms inOwnSession`)
  assert.deepEqual(
    device.commands.map(({ guid }) => guid),
    [first.guid, second.guid],
  )
  await setGlobal({})
})
