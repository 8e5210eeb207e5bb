import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inboxStore } from '#server/messages/inbox/store.ts'
import { testClock } from './clock.ts'
import { insertEnded, newMessage, removeMessages } from './message-tables.ts'
import { openWorld } from './model/world.ts'

const AT = '2026-06-10T08:00:00.000Z'

test('no message and no SMS gets the id of a removed one, also after another start', async (t) => {
  const world = await openWorld(testClock(AT), () => {})
  t.after(() => world.close())
  const device_id = await world.link(1, 'drone')
  let count = 0
  /** Stores one of each, and returns their ids. */
  const come = () =>
    world.db.write(async (tx) => {
      const sms_id = `sms-${++count}`
      const sms = { company_id: 1, device_id, sms_id, text: 'hola', sms_at: AT, sim: null }
      const inbox = inboxStore(tx)
      const from = { sms_from: '+34600111222', received_at: AT, message_id: null }
      return [
        await inbox.insert({ ...sms, ...from }),
        await inbox.insertTyped({ ...sms, sms_to: '+34600111222', stored_at: AT }),
        await insertEnded(tx, newMessage(`guid-${count}`), { state: 'sent', completed_at: AT }),
      ] as [number, number, number]
    })
  await come()
  const before = await come()
  await world.db.write(async (tx) => {
    const [received, typed, message] = before
    await removeMessages(tx, 'id = :id', { id: String(message) })
    await tx.delete('inbox', { id: received })
    await tx.delete('typed_sms', { id: typed })
  })
  await world.restart()
  for (const [n, id] of (await come()).entries()) assert.ok(id > before[n]!, `${id} after ${before[n]}`)
})
