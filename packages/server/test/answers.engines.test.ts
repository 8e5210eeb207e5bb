import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { saveContact } from '@sdd/contract/people/contacts.ts'
import { createTasks, discardTask } from '@sdd/contract/tasks/tasks.ts'
import { disableDevice, unlinkDevice } from '@sdd/contract/fleet/devices.ts'
import * as contract from '@sdd/contract/people/conversations.ts'
import { readMessage } from '@sdd/contract/insight/log.ts'
import { eventually } from './device.ts'
import { call } from './server.ts'
import { startConversations } from './conversation-calls.ts'

const { server, token, newDevice, setGlobal, entryOf, fresh, read, answer, receive } =
  await startConversations()
after(() => server.stop())

test('an answer waits for the SIM that last spoke, while its device is away and sending is off', async () => {
  const [usual, another] = [await newDevice(), await newDevice()]
  const sims = [{ id: 1, phone_number: '+34611000001', iccid: '8934000000000000001' }]
  await usual.publish('networks', { wifi: null, mobile: { sims } })
  const number = fresh()
  await receive(usual, number, 'hello?', { sim: '8934000000000000001' })
  await usual.stop()
  await setGlobal({ send_enabled: false })
  const { status, body } = await answer(number, { text: 'yes?' })
  assert.equal(status, 202)
  const waiting = (await read(number)).messages[0]!
  assert.deepEqual([waiting.device_uid, waiting.state], [usual.uid, 'queued'])
  assert.equal(typeof waiting.waiting_for, 'string')
  await setGlobal({ send_enabled: true })
  await another.catchUp()
  assert.equal((await read(number)).messages[0]!.state, 'queued')
  const { expires_at, queue_timestamp } = (
    await call(server, readMessage, { token, params: { guid: body.guid } })
  ).body
  assert.equal(Date.parse(expires_at) - Date.parse(queue_timestamp), 24 * 3_600_000)
  await call(server, unlinkDevice, { token, params: { uid: usual.uid } })
  const given = await eventually(async () => {
    const [message] = (await read(number)).messages
    return message!.device_uid !== null && message!.device_uid !== usual.uid && message
  })
  assert.equal(given.guid, body.guid)
  await another.catchUp()
})

test('an answer names the SIM to a device with several, and goes elsewhere when that SIM is gone', async () => {
  const usual = await newDevice()
  const sim = (n: number) => ({ id: n, phone_number: `+3461100010${n}`, iccid: `893400000000000010${n}` })
  await usual.publish('networks', { wifi: null, mobile: { sims: [sim(1), sim(2)] } })
  const number = fresh()
  await receive(usual, number, 'hello?', { sim: sim(2).iccid })
  const first = (await answer(number, { text: 'by the second SIM' })).body
  await eventually(() => usual.commands.some(({ guid }) => guid === first.guid))
  assert.equal(usual.commands.find(({ guid }) => guid === first.guid)!.from, sim(2).phone_number)
  await call(server, disableDevice, { token, params: { uid: usual.uid } })
  const { guid } = (await answer(number, { text: 'waits for it' })).body
  assert.equal((await read(number)).messages[0]!.device_uid, usual.uid)
  await usual.publish('networks', { wifi: null, mobile: { sims: [sim(1)] } })
  await eventually(async () => (await entryOf(guid)).device_guid !== usual.uid)
  assert.equal((await answer(number, { text: 'any device' })).status, 202)
  assert.notEqual((await read(number)).messages[0]!.device_uid, usual.uid)
})

test('the same guid for another device is another message, unless the device it named was unlinked', async () => {
  const [first, second] = [await newDevice(), await newDevice()]
  const number = fresh()
  const send = async (guid: string, device_uid?: string | null) => {
    const { status, body } = await answer(number, { text: 'once', guid, device_uid })
    return status === 409 ? body.code : status
  }
  await setGlobal({ send_enabled: false })
  assert.equal(await send('named', first.uid), 202)
  assert.equal(await send('named', first.uid), 200)
  assert.equal(await send('named', second.uid), 'guid_taken')
  assert.equal(await send('unnamed'), 202)
  assert.equal(await send('unnamed'), 200)
  await setGlobal({ send_enabled: true })
  await eventually(async () => (await entryOf('unnamed')).device_guid !== null)
  assert.equal(await send('unnamed'), 200, 'a device has it now')
  assert.equal(await send('unnamed', null), 200)
  await setGlobal({ send_enabled: false })
  assert.equal(await send('freed', first.uid), 202)
  await call(server, unlinkDevice, { token, params: { uid: first.uid } })
  assert.equal((await entryOf('freed')).device_guid, null)
  assert.equal(await send('freed', first.uid), 200)
  await setGlobal({ send_enabled: true })
  await second.catchUp()
})

test('the same guid is one message; a number that opted out, a name and an unknown device are refused', async () => {
  const device = await newDevice()
  const number = fresh()
  await receive(device, number, 'hi')
  const guid = `mine-${crypto.randomUUID()}`
  assert.equal((await answer(number, { text: 'once', guid })).status, 202)
  const again = await answer(number.replace('+34', '0034'), { text: 'once', guid })
  assert.deepEqual([again.status, again.body.guid], [200, guid])
  assert.equal((await answer(number, { text: 'other', guid })).body.code, 'guid_taken')
  assert.equal((await read(number)).messages.length, 2)
  assert.equal((await answer(number, { text: 'x', device_uid: 'none' })).body.code, 'unknown_device')
  assert.deepEqual(Object.keys((await answer(number, {})).body.fields!), ['text'])
  assert.deepEqual(Object.keys((await answer(number, { text: 'x', again: guid })).body.fields!), ['again'])
  assert.deepEqual(Object.keys((await answer(number, { text: 'é'.repeat(1_600) })).body.fields!), ['text'])
  await receive(device, 'BANCO', 'your code')
  const named = await answer('BANCO', { text: 'thanks' })
  assert.deepEqual([named.status, named.body.code], [422, 'not_answerable'])
  assert.equal((await read('BANCO')).conversation.answerable, false)
  await call(server, addOptOut, { token, body: { number } })
  const refused = await answer(number, { text: 'x' })
  assert.deepEqual([refused.status, refused.body.code], [409, 'opted_out'])
  assert.equal((await read(number)).conversation.opted_out, true)
})

test('a failed message is sent again as a new one, an uncertain one only if the caller is sure', async () => {
  const device = await newDevice()
  const number = fresh()
  const put = async (state: 'failed' | 'sent', code?: string) => {
    const { guid } = (await answer(number, { text: `text ${state} ${code}`, device_uid: device.uid })).body
    await eventually(() => device.commands.some((command) => command.guid === guid))
    await device.report({ guid, state, ...(code && { code }) })
    return guid
  }
  const [failed, uncertain, sent] = [
    await put('failed', 'barred'),
    await put('failed', 'unknown_outcome'),
    await put('sent'),
  ]
  const repeated = await answer(number, { again: failed })
  assert.equal(repeated.status, 202)
  assert.equal((await read(number)).messages[0]!.text, 'text failed barred')
  assert.notEqual(repeated.body.guid, failed)
  assert.equal((await answer(number, { again: uncertain })).body.code, 'may_have_arrived')
  assert.equal((await answer(number, { again: uncertain, sure: true })).status, 202)
  for (const guid of [sent, 'nothing']) {
    const refused = await answer(number, { again: guid, sure: true })
    assert.deepEqual([refused.status, refused.body.code], [409, 'not_repeatable'])
  }
})

test('marketing that failed for want of a consent is not sent again as an answer', async () => {
  const device = await newDevice()
  const number = fresh()
  const consent = (consent: { how: 'web' } | null) =>
    call(server, saveContact, { token, params: { number }, body: { consent } })
  await consent({ how: 'web' })
  const not_before = new Date(Date.now() + 3_600_000).toISOString()
  const task = { to_number: number, text: 'Offer', class: 'marketing', not_before }
  const { guid } = (await call(server, createTasks, { token, body: task as never })).body as { guid: string }
  await consent(null)
  const refused = await answer(number, { again: guid })
  assert.deepEqual([refused.status, refused.body.code], [422, 'no_consent'])
  assert.deepEqual(Object.keys(refused.body.fields!), ['again'])
  await consent({ how: 'web' })
  assert.equal((await answer(number, { again: guid, device_uid: device.uid })).status, 202)
})

test('a waiting answer is discarded, and other systems’ calls do not see it', async () => {
  const device = await newDevice()
  const number = fresh()
  await device.stop()
  const { guid } = (await answer(number, { text: 'never mind', device_uid: device.uid })).body
  assert.equal((await call(server, discardTask, { token, params: { guid } })).status, 404)
  const discard = (to: string) =>
    call(server, contract.discardAnswer, { token, params: { number: to, guid } })
  assert.equal((await discard(fresh())).body.code, 'unknown_message')
  const gone = await discard(number)
  assert.deepEqual([gone.status, gone.body.state], [200, 'cancelled'])
})
