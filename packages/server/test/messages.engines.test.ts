import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type LogEntry, listLogs, readMessage } from '@sdd/contract/insight/log.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { connectDevice, eventually, linkTestDevice } from './device.ts'
import { startMessaging } from './messaging.ts'
import { type Answer, call } from './server.ts'

const { server, token, newDevice, send, entryOf, setLimit, setGlobal } = await startMessaging()
after(() => server.stop())

test('a message goes to its device and its log fills in as the device reports', async () => {
  const device = await newDevice()
  const sent = await send(device, { telefono_to: '+34 600-111.222', mensaje_sms: '¡Hola, €!' })
  assert.equal(sent.status, 200)
  assert.equal(sent.body.status, 'SMS enviado vía MQTT')
  const { guid } = sent.body
  const [command] = await device.until(1)
  assert.equal(command?.type, 'send')
  assert.deepEqual(
    [command?.guid, command?.attempt, command?.to, command?.text],
    [guid, 1, '+34600111222', '¡Hola, €!'],
  )
  const waiting = await entryOf(guid)
  assert.equal(waiting.state, 'queued')
  assert.match(waiting.waiting_for!, /has not confirmed/)
  await device.report({ guid, state: 'accepted' })
  assert.equal((await entryOf(guid)).state, 'handed')
  await device.report({ guid, state: 'sent' })
  await device.report({ guid, state: 'delivered' })
  await device.publish('inbox', {
    id: '1',
    from: '+34600111222',
    text: 'recibido',
    at: new Date().toISOString(),
  })
  const done = await entryOf(guid)
  assert.equal(done.state, 'replied')
  assert.equal(done.answer_3, 'recibido')
  assert.equal(done.waiting_for, null)
  for (const time of ['queue', 'handed', 'answer_sent', 'answer_2', 'answer_3'] as const) {
    assert.match(done[`${time}_timestamp`]!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, time)
  }
  const record = await call(server, readMessage, { token, params: { guid } })
  assert.match(
    String(record.body.attempt_1),
    new RegExp(`^${device.uid} · given .* · accepted .* · sent .* · delivered`),
  )
  assert.ok(Object.values(record.body).every((value) => typeof value !== 'object' || value === null))
  const { body } = await call(server, readMessage, { token, params: { guid }, query: { facts: 'true' } })
  assert.deepEqual(
    body.notes_codes?.map(({ code, params }) => [code, params]),
    [['given', { attempt: 1, device: device.uid }]],
  )
  const [detail, ...more] = body.attempt_details!
  assert.deepEqual([detail!.attempt, detail!.device, detail!.state], [1, device.uid, 'delivered'])
  assert.deepEqual(more, [])
})

test('a disabled or offline device, a switched-off company and a used-up limit refuse with their reason', async () => {
  const device = await newDevice()
  await call(server, devices.disableDevice, { token, params: { uid: device.uid } })
  const disabled = await send(device)
  assert.deepEqual([disabled.status, disabled.body.code], [409, 'device_disabled'])
  assert.equal(disabled.body.status, disabled.body.detail)
  await call(server, devices.enableDevice, { token, params: { uid: device.uid } })
  await setGlobal({ send_enabled: false })
  assert.deepEqual(errorOf(await send(device)), [409, 'sending_disabled'])
  await setGlobal({})
  await setLimit(device, 2)
  const long = await send(device, { mensaje_sms: 'x'.repeat(161 + 153) })
  assert.deepEqual(errorOf(long), [429, 'daily_limit'])
  const retry = Number(long.headers.get('retry-after'))
  assert.ok(retry > 0 && retry <= 25 * 3600, `Retry-After ${retry}`)
  assert.deepEqual(errorOf(await send({ uid: 'nobody' })), [404, 'unknown_device'])
  await device.stop()
  assert.deepEqual(errorOf(await send(device)), [409, 'device_disconnected'])
})

function errorOf(answer: { status: number; body: { code: string } }) {
  return [answer.status, answer.body.code]
}

test('a command without a report is sent again when the device reconnects, as the same attempt', async () => {
  const linked = await linkTestDevice(server, token, 'drone-back')
  const device = await connectDevice(linked)
  const { guid } = (await send(device)).body
  await device.until(1)
  device.vanish()
  const back = await connectDevice(linked)
  const [again] = await back.until(1)
  assert.deepEqual([again?.guid, again?.attempt], [guid, 1])
  await back.report({ guid, state: 'accepted' })
  back.vanish()
  const third = await connectDevice(linked)
  const next = (await send(third)).body.guid
  await third.until(1)
  assert.deepEqual(
    third.commands.map((command) => command.guid),
    [next],
  )
  assert.match((await entryOf(guid)).waiting_for!, /accepted it at .* and has not said yet/)
})

test('messages queued while sending was off go out once it is on, and none before the status message', async () => {
  const device = await newDevice()
  await setGlobal({ spoof_time_secs: 2 })
  await send(device)
  const late = (await send(device)).body
  await device.until(1)
  await setGlobal({ send_enabled: false })
  assert.match((await entryOf(late.guid)).waiting_for!, /switched off/)
  await device.catchUp()
  assert.equal(device.commands.length, 1)
  await setGlobal({})
  await device.until(2)
})

test('a report about another device’s message is dropped and the device’s other reports count', async () => {
  const [mine, other] = [await newDevice(), await newDevice()]
  const own = (await send(mine)).body.guid
  const foreign = (await send(other)).body.guid
  await Promise.all([mine.until(1), other.until(1)])
  await mine.report(
    { guid: foreign, state: 'sent' },
    { guid: 'never-existed', state: 'sent' },
    { guid: own, state: 'sent' },
  )
  assert.equal((await entryOf(foreign)).state, 'queued')
  assert.equal((await entryOf(own)).state, 'sent')
  const metrics = await (await fetch(new URL('/metrics', server.url))).text()
  assert.match(metrics, /^sdd_stranger_reports_total 2$/m)
})

test('malformed payloads are dropped, acknowledged and counted, and the good reports among them take effect', async () => {
  const device = await newDevice()
  const { guid } = (await send(device)).body
  await device.until(1)
  await device.publish('reports', 'not json')
  await device.publish('reports', '{"guid": 5}')
  await device.publish('reports', [
    { guid, state: 'invented', at: 'now' },
    { guid, state: 'sent', at: '2026-01-01T00:00:00Z' },
  ])
  await device.publish(
    'reports',
    Array.from({ length: 101 }, () => ({ guid, state: 'delivered', at: '2026-01-01T00:00:00Z' })),
  )
  await device.publish('inbox', { nothing: true })
  await device.publish('networks', [1, 2])
  const entry = await entryOf(guid)
  assert.deepEqual([entry.state, entry.answer_sent_timestamp], ['sent', '2026-01-01T00:00:00.000Z'])
})

test('a report with overlong texts takes effect: they are cut, but never inside a character', async () => {
  const device = await newDevice()
  const { guid } = (await send(device)).body
  const { guid: other } = (await send(device)).body
  await device.until(2)
  const code = `${'c'.repeat(63)}😀`
  const detail = `${'d'.repeat(999)}😀 and more`
  const at = '2026-01-01T00:00:00Z'
  await device.publish('reports', [
    { guid, state: 'failed', at, code, detail, sim: 's'.repeat(100), parts: 300 },
    { guid: other, state: 'sent', at, detail: 'x'.repeat(1_001), sim: {} },
    { guid: other, state: 'failed', at, code: 'x'.repeat(5_000), detail: 'y'.repeat(5_000) },
  ])
  const { error, error_msg } = await entryOf(guid)
  assert.equal(error, 'partly_sent')
  assert.ok(error_msg!.endsWith(`Then: ${'d'.repeat(999)}`), error_msg!.slice(-20))
  const record = (await call(server, readMessage, { token, params: { guid } })).body
  assert.match(String(record['attempt_1']), /SIM s{64} · /)
  assert.match(String(record['attempt_1']), / · c{63} · d{999}$/)
  const { state, error: cut, error_msg: why } = await entryOf(other)
  assert.deepEqual([state, cut, why], ['failed', 'x'.repeat(64), 'y'.repeat(1_000)])
})

test('a received SMS of more than 10,000 characters is stored, cut, and marked as cut', async () => {
  const device = await newDevice()
  const telefono_to = '+34600777555'
  const { guid } = (await send(device, { telefono_to })).body
  await device.until(1)
  await device.report({ guid, state: 'sent' })
  const at = new Date().toISOString()
  const text = '😀'.repeat(7_000)
  await device.publish('inbox', { id: 'long', from: telefono_to, text, at, sim: 'x'.repeat(65) })
  const kept = (await entryOf(guid)).answer_3!
  const mark = ' […] [cut, it had 14000 characters]'
  assert.ok(kept.endsWith(mark))
  assert.ok(kept.isWellFormed() && kept.length <= 10_000 && kept.length > 9_900)
  assert.ok(text.startsWith(kept.slice(0, -mark.length)))
  const whole = 'z'.repeat(10_000)
  await device.publish('inbox', { id: 'whole', from: telefono_to, text: whole, at })
  assert.equal((await entryOf(guid)).answer_3, whole)
})

test('a report from the future counts as received now', async () => {
  const device = await newDevice()
  const { guid } = (await send(device)).body
  await device.until(1)
  await device.report({ guid, state: 'sent', at: '2999-01-01T00:00:00Z' })
  const { answer_sent_timestamp } = await entryOf(guid)
  assert.ok(Date.parse(answer_sent_timestamp!) <= Date.now())
})

test('bad numbers and texts are refused by field, and nothing is stored', async () => {
  const device = await newDevice()
  const refused = [
    [{ telefono_to: 'abc' }, 'telefono_to'],
    [{ telefono_to: '+12' }, 'telefono_to'],
    [{ telefono_to: '' }, 'telefono_to'],
    [{ telefono_to: 34600 }, 'telefono_to'],
    [{ mensaje_sms: '' }, 'mensaje_sms'],
    [{ mensaje_sms: 'x'.repeat(1531) }, 'mensaje_sms'],
    [{ mensaje_sms: 'ñ€ж'.repeat(300) }, 'mensaje_sms'],
    [{ mensaje_sms: 'a\0b' }, 'mensaje_sms'],
    [{ device_uid: undefined }, 'device_uid'],
  ] as const
  for (const [change, field] of refused) {
    const answer = await send(device, change)
    assert.deepEqual(errorOf(answer), [422, 'invalid'], JSON.stringify(change).slice(0, 60))
    assert.ok(answer.body.fields?.[field], field)
    assert.equal(answer.body.status, answer.body.detail)
  }
  const { body } = await call(server, listLogs, { token, query: { device_uid: device.uid } })
  assert.deepEqual(body.logs, [])
  assert.equal((await send(device, { mensaje_sms: 'x'.repeat(1530) })).status, 200)
})

test('the log is paged newest first, each entry once, and filtered by the server', async () => {
  const device = await newDevice()
  const guids: string[] = []
  for (let n = 0; n < 7; n++)
    guids.unshift(
      (await send(device, { telefono_to: `+3460000000${n}`, mensaje_sms: `number ${n}%` })).body.guid,
    )
  await device.until(7)
  await device.report({ guid: guids[0]!, state: 'failed', code: 'barred', block: true, detail: 'SIM barred' })
  const query = { device_uid: device.uid, limit: '3' }
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const { body }: Answer<typeof listLogs> = await call(server, listLogs, {
      token,
      query: { ...query, ...(cursor && { cursor }) },
    })
    seen.push(...body.logs.map((entry: LogEntry) => entry.guid))
    cursor = body.next_cursor ?? undefined
  } while (cursor)
  assert.deepEqual(seen, guids)
  const found = async (more: Record<string, string>) => {
    const { body } = await call(server, listLogs, {
      token,
      query: { device_uid: device.uid, ...more },
    })
    return body.logs.map((entry: LogEntry) => guids.indexOf(entry.guid))
  }
  assert.deepEqual(await found({ search: '600 000 003' }), [3])
  assert.deepEqual(await found({ search: 'number 5%' }), [1])
  assert.deepEqual(await found({ search: '%' }), [0, 1, 2, 3, 4, 5, 6])
  assert.deepEqual(await found({ search: '_' }), [])
  assert.deepEqual(await found({ search: guids[2]!.slice(0, 13) }), [2])
  assert.deepEqual(await found({ errors: 'true' }), [0])
  assert.deepEqual(await found({ state: 'failed' }), [0])
  assert.deepEqual(await found({ from: '2999-01-01T00:00:00Z' }), [])
  assert.deepEqual(await found({ to: '2000-01-01T00:00:00+02:00' }), [])
  const [failed] = (await call(server, listLogs, { token, query: { device_uid: device.uid, limit: '1' } }))
    .body.logs
  assert.deepEqual([failed?.error, failed?.error_msg, failed?.error_block], ['barred', 'SIM barred', true])
})

test('unlinking keeps the history, fails waiting messages and leaves open those that the device had', async () => {
  const device = await newDevice()
  await setGlobal({ spoof_time_secs: 3600 })
  const had = (await send(device)).body.guid
  const waits = (await send(device)).body.guid
  await device.until(1)
  assert.equal((await call(server, devices.unlinkDevice, { token, params: { uid: device.uid } })).status, 204)
  await device.ended
  await setGlobal({})
  assert.deepEqual([(await entryOf(had)).state, (await entryOf(had)).error], ['uncertain', 'device_unlinked'])
  assert.deepEqual(
    [(await entryOf(waits)).state, (await entryOf(waits)).error],
    ['failed', 'device_unlinked'],
  )
  assert.equal((await entryOf(had)).device_guid, device.uid)
  const { body } = await call(server, devices.listDevices, { token })
  assert.ok(!body.devices.some((row: devices.Device) => row.uid === device.uid))
  const again = await linkTestDevice(server, token, device.uid)
  assert.equal(again.uid, device.uid)
})

test('a waiting message says that its device is offline', async () => {
  const device = await newDevice()
  await setGlobal({ spoof_time_secs: 3600 })
  await send(device)
  const { guid } = (await send(device)).body
  await device.until(1)
  await device.stop()
  await setGlobal({})
  const entry = await eventually(async () => {
    const row = await entryOf(guid)
    return /offline/.test(row.waiting_for ?? '') && row
  })
  assert.match(entry.waiting_for!, /offline: .* since \d{4}.*expires at \d{4}/)
})
