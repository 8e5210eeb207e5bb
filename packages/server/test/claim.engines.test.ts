import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCandidates } from '#server/dispatch/candidates.ts'
import { openClaim } from '#server/dispatch/claim/claim.ts'
import { queueMessage } from '#server/messages/messages/messages.ts'
import { testClock } from './clock.ts'
import { openWorld, type Published } from './model/world.ts'

test('a message stored while the dispatcher waits for its turn is handed over then, and its device is not set aside', async (t) => {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const device_id = await world.link(1, 'drone-1')
  const from = { connection_id: 'c1', connection: 1, uid: 'drone-1', device_id, company_id: 1 }
  await world.status(from, { status: 'connected', session: 's1', agent: 'test/1' })
  const send = (mensaje_sms: string) =>
    queueMessage(world.needs, world.superadmin, {
      device_uid: 'drone-1',
      telefono_to: '+34600111222',
      mensaje_sms,
    })
  const given: Published[] = []
  const { db } = world
  const candidates = openCandidates()
  candidates.add({ id: device_id, company_id: 1 }, true)
  const claim = openClaim({
    ...world.needs,
    candidates,
    publish: (uid, command) => given.push({ uid, command }) > 0,
    db: {
      ...db,
      // The turn comes after the first message went another way and a later one was stored.
      async write(work) {
        await world.settle()
        clock.advance(10)
        await send('second')
        return db.write(work)
      },
    },
  })
  await send('first')
  await claim()
  assert.deepEqual(
    given.map(({ command }) => 'text' in command && command.text),
    ['second'],
  )
})
