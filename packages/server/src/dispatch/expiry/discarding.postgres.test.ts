import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openAnnouncements } from '#server/app/announcing.ts'
import { instant, systemClock } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { LATER } from '#server/dispatch/lanes/lane-names.ts'
import { openKeptMessages } from '#server/messages/messages/kept-messages.ts'
import { messagesByGuids } from '#server/messages/messages/reported.store.ts'
import { changeMessage, giveMessages, insertMessages, messageStore } from '#server/messages/messages/store.ts'
import { untilOneWaits } from '#test/lock-waits.ts'
import { openTwoDatabases } from '#test/two-databases.ts'
import { discardOrCancel } from './discarding.ts'

/** One server discards a task that has failed, while another one moves it back to the queue. */
const clock = systemClock('Europe/Madrid')
const now = instant(clock.now())
const soon = instant(clock.now() + 10_000)
const later = instant(clock.now() + 3_600_000)
const OURS = { company_id: 1 }

let one: Database
let other: Database

before(async () => {
  ;({ one, other } = await openTwoDatabases(now))
  await one.write(async (tx) => {
    const sms = { guid: 'task', message: 'hola', message_to: '+34600111222', parts: 1, priority: 1 }
    const task = { ...OURS, ...sms, silent: 0, task: 1, queue_timestamp: now } as const
    await insertMessages(tx, [{ ...task, expires_at: later, due_at: now, lane: '' }])
    const message = (await messageStore(tx, OURS).byGuid('task'))!
    const given = { device_id: 1, attempt: 1, assigned_at: now, look_at: later, notes: null, sim_id: null }
    await giveMessages(tx, [{ message, ...given }])
  })
})
after(() => Promise.all([one.close(), other.close()]))

test('a task that another server moves back to the queue for a retry is discarded', async () => {
  const retried = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const retrying = other.write(async (tx) => {
    const [message] = await messagesByGuids(tx, [[1, 'task']], openKeptMessages())
    const waits = { step: 'waiting', device_id: null, due_at: soon, lane: LATER, lane_until: soon } as const
    await changeMessage(tx, message!, waits)
    // A statement without rows is not awaited.
    await tx.query('select 1')
    retried.resolve()
    await commit.promise
  })
  await retried.promise
  const discarding = one.write((tx) =>
    discardOrCancel(tx, openAnnouncements(clock), OURS, { guid: 'task', by: 'shop' }),
  )
  await Promise.race([discarding.catch(() => {}), untilOneWaits(other)])
  commit.resolve()
  await retrying
  assert.deepEqual((await discarding).asked, false)
  const message = await messageStore(one.read, OURS).byGuid('task')
  assert.deepEqual([message?.place, message?.state], ['outcomes', 'cancelled'])
})
