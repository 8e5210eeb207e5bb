import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startMessaging } from './messaging.ts'

const { server, newDevice, send, entryOf } = await startMessaging()
after(() => server.stop())

test('a repeated inbox message counts once, and one from an unknown number answers no message', async () => {
  const device = await newDevice()
  const { guid } = (await send(device, { telefono_to: '600333444' })).body
  await device.until(1)
  const at = new Date().toISOString()
  await device.publish('inbox', { id: 'early', from: '+34600333444', text: 'too early', at })
  assert.equal((await entryOf(guid)).answer_3, null)
  await device.report({ guid, state: 'sent' })
  await device.publish('inbox', { id: 'a', from: '+34600333444', text: 'first', at })
  await device.publish('inbox', { id: 'b', from: '+34999999999', text: 'somebody else', at })
  await device.publish('inbox', { id: 'a', from: '+34600333444', text: 'first, repeated', at })
  const entry = await entryOf(guid)
  assert.deepEqual([entry.state, entry.answer_3], ['replied', 'first'])
})

test('a reply that arrives before its message’s `sent` report is shown once that report comes', async () => {
  const device = await newDevice()
  const { guid } = (await send(device, { telefono_to: '600333447' })).body
  await device.until(1)
  const began = Date.now()
  const at = (after_ms: number) => new Date(began - 5_000 + after_ms).toISOString()
  const from = '+34600333447'
  await device.publish('inbox', { id: 'before', from, text: 'about something else', at: at(0) })
  await device.publish('inbox', { id: 'reply', from, text: 'thanks', at: at(2_000) })
  await device.publish('inbox', { id: 'other', from: '+34600999999', text: 'hello', at: at(2_000) })
  assert.equal((await entryOf(guid)).answer_3, null)
  await device.report({ guid, state: 'delivered', at: at(1_000) })
  const entry = await entryOf(guid)
  assert.deepEqual([entry.state, entry.answer_3, entry.answer_3_timestamp], ['replied', 'thanks', at(2_000)])
  await device.report({ guid, state: 'sent', at: at(500) })
  const { state, answer_3, answer_sent_timestamp } = await entryOf(guid)
  assert.deepEqual([state, answer_3, answer_sent_timestamp], ['replied', 'thanks', at(500)])
})

test('a reply is matched by its number, in any notation of it and of the dialled one', async () => {
  const device = await newDevice()
  const at = new Date().toISOString()
  for (const [n, [dialled, sender]] of (
    [
      ['+34 600 333 445', '600333445'],
      ['600333446', '0034600333446'],
    ] as const
  ).entries()) {
    const { guid } = (await send(device, { telefono_to: dialled })).body
    await device.until(n + 1)
    await device.report({ guid, state: 'sent' })
    await device.publish('inbox', { id: sender, from: sender, text: 'yes', at })
    assert.equal((await entryOf(guid)).answer_3, 'yes', dialled)
  }
})
