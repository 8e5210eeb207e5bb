import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messagesByGuids } from '#server/messages/messages/reported.store.ts'
import { openKeptMessages, type KeptMessages } from '#server/messages/messages/kept-messages.ts'
import { openFigures, OURS } from './figures.ts'

test('a message is the same wherever it is, whether or not the server remembers how it was submitted', async (t) => {
  const { clock, world, device, submit, report } = await openFigures(t)
  const drone = await device(OURS, 'drone-1')
  const guid = await submit(OURS)
  const remembers = openKeptMessages()
  const read = async (keptMessages: KeptMessages) =>
    (await messagesByGuids(world.db.read, [[OURS.company_id, guid]], keptMessages)).map((row) => ({ ...row }))
  const seen: string[] = []
  async function compare(): Promise<void> {
    const [whole] = await read(openKeptMessages())
    assert.ok(whole, guid)
    assert.deepEqual(await read(remembers), [whole])
    seen.push(`${whole.place}: ${whole.state}`)
  }
  await compare()
  await world.settle()
  await compare()
  for (const state of ['accepted', 'sent', 'delivered'] as const) {
    clock.advance(1_000)
    await report(drone, guid, state)
    await compare()
  }
  assert.deepEqual(seen, [
    'queue: queued',
    'in_flight: queued',
    'in_flight: handed',
    'in_flight: sent',
    'outcomes: delivered',
  ])
})
