import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApiKey } from '@sdd/contract/accounts/api-keys.ts'
import { listLogs } from '@sdd/contract/insight/log.ts'
import { saveKeyword } from '@sdd/contract/messages/keywords.ts'
import { addOptOut, listOptOuts } from '@sdd/contract/messages/opt-outs.ts'
import { createWebhook } from '@sdd/contract/outward/callbacks.ts'
import { createTasks } from '@sdd/contract/tasks/tasks.ts'
import { startConversations } from './conversation-calls.ts'
import { eventually, type TestDevice } from './device.ts'
import { startReceiver } from './receiver.ts'
import { call } from './server.ts'

const { server, token, newDevice, send, fresh, list, read, change, answer, inbox, receive } =
  await startConversations()
after(() => server.stop())

let count = 0

/** A person types an SMS on the device itself; resolves when the server has it. */
const type = (device: TestDevice, to: string, text: string, more: Record<string, unknown> = {}) =>
  device.publish('inbox', { id: `typed-${++count}`, to, text, at: new Date().toISOString(), ...more })

test('an SMS typed on a phone is in its conversation once, as ours and as read', async () => {
  const device = await newDevice()
  const number = fresh()
  await receive(device, number, 'Are you coming?')
  await change(number, { status: 'done' })
  const at = '2026-06-10T08:00:00.000Z'
  const sms = { id: 'typed-once', at, sim: 'sim-2' }
  for (const to of [number.replace('+34', ''), number]) await type(device, to, 'On my way', sms)
  const { conversation, messages } = await read(number)
  assert.deepEqual(
    messages.map(({ direction, text }) => [direction, text]),
    [
      ['out', 'On my way'],
      ['in', 'Are you coming?'],
    ],
  )
  const { id, ...typed } = messages[0]!
  assert.match(id, /^t\d+$/)
  assert.deepEqual(typed, {
    guid: null,
    direction: 'out',
    text: 'On my way',
    at,
    state: 'sent',
    waiting_for: null,
    waiting_code: null,
    waiting_params: null,
    error_msg: null,
    error_msg_code: null,
    error_msg_params: null,
    device_uid: device.uid,
    sim: 'sim-2',
    by: null,
    by_kind: 'phone',
    parts: 1,
  })
  const { last_text, last_direction, last_state, unread, status, device_uid, sim } = conversation
  assert.deepEqual([last_text, last_direction, last_state], ['On my way', 'out', 'sent'])
  assert.deepEqual([unread, status, device_uid, sim], [1, 'done', device.uid, 'sim-2'])
  assert.deepEqual((await list({ status: 'done' }))[0], conversation)
  assert.equal((await change(number, { read_to: id })).body.unread, 0)
  await receive(device, number, 'Good')
  assert.equal((await read(number)).conversation.last_text, 'Good')
})

test('an SMS typed to an unknown number begins an open conversation, and the answer leaves by that phone', async () => {
  const [device] = [await newDevice(), await newDevice()]
  const number = fresh()
  await type(device, number, 'Hello')
  const { conversation } = await read(number)
  assert.deepEqual([conversation.status, conversation.unread], ['open', 0])
  await answer(number, { text: 'It is me again' })
  await device.until(1)
  assert.equal(device.commands[0]!.to, number)
})

test('a typed SMS is no message of the log, no received SMS, and no word; an opt-out does not hide it', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.stop())
  const body = { url: `${receiver.url}/sms`, types: ['sms.received'] }
  await call(server, createWebhook, { token, body })
  const device = await newDevice()
  const number = fresh()
  await type(device, number, 'BAJA')
  assert.deepEqual((await call(server, listOptOuts, { token })).body.opt_outs, [])
  assert.deepEqual((await inbox({ search: number })).inbox, [])
  const logs = (await call(server, listLogs, { token, query: { search: number } })).body.logs
  assert.deepEqual(logs, [])
  await call(server, addOptOut, { token, body: { number } })
  await type(device, number, 'One last thing')
  await receive(device, number, 'What?')
  await eventually(() => receiver.received.length > 0)
  assert.deepEqual(
    receiver.received.map(({ text }) => (JSON.parse(text) as { sms: { text: string } }).sms.text),
    ['What?'],
  )
  assert.deepEqual(
    (await read(number)).messages.map(({ text }) => text),
    ['What?', 'One last thing', 'BAJA'],
  )
})

test('pages have typed, sent and received messages in one order, and the search finds them', async () => {
  const device = await newDevice()
  const number = fresh()
  for (const n of [1, 2, 3]) {
    await receive(device, number, `received ${n}`)
    await type(device, number, `tecleado ${n}`)
    await answer(number, { text: `sent ${n}` })
  }
  const texts: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof read>> = await read(number, {
      limit: '2',
      ...(cursor && { cursor }),
    })
    if (cursor === null) await type(device, number, 'tecleado after the first page')
    texts.push(...page.messages.map(({ text }) => text))
    cursor = page.next_cursor
  } while (cursor !== null)
  assert.deepEqual(
    texts,
    [3, 2, 1].flatMap((n) => [`sent ${n}`, `tecleado ${n}`, `received ${n}`]),
  )
  const found = async (search: string) => (await list({ search })).map((each) => each.number)
  assert.deepEqual(await found('TECLEADO 2'), [number])
  // They wait, so that no other test does.
  const not_before = new Date(Date.now() + 3_600_000).toISOString()
  const tasks = Array.from({ length: 210 }, (_, n) => ({
    to_number: `+3460057${1_000 + n}`,
    text: 'newer',
    not_before,
  }))
  await call(server, createTasks, { token, body: { tasks } })
  assert.deepEqual(
    (await list({ search: 'tecleado 2', status: 'all' })).map((each) => each.number),
    [number],
  )
})

test('each message says what kind of sender it has', async () => {
  const device = await newDevice()
  const number = fresh()
  const kindOf = async (text: string) =>
    (await read(number)).messages.find((message) => message.text === text)?.by_kind
  await call(server, saveKeyword, {
    token,
    body: { word: 'HORAS', answer: 'De 9 a 14', action: 'answer' },
  })
  await receive(device, number, 'HORAS')
  await send(device, { telefono_to: number, mensaje_sms: 'by a person' })
  const { key } = (await call(server, createApiKey, { token, body: { name: 'CRM' } })).body
  await call(server, createTasks, { token: key, body: { to_number: number, text: 'by a key' } })
  assert.equal(await kindOf('HORAS'), null)
  assert.equal(await kindOf('De 9 a 14'), 'server')
  assert.equal(await kindOf('by a person'), 'user')
  assert.equal(await kindOf('by a key'), 'api_key')
})
