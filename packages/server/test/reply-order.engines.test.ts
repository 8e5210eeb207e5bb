import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { submitTasks } from '#server/tasks/submission.ts'
import { HOUR } from './clock.ts'
import { type Device, OURS, openFigures } from './figures.ts'
import { withoutUrls } from './model/steps.ts'

/** An SMS replies to the message that the device sent last, whenever that was stored. */

const DAY = 24 * HOUR
const NUMBER = '+34600111222'

async function openReplies(t: TestContext) {
  const figures = await openFigures(t)
  const { clock, world, now, report } = figures
  let received = 0
  return {
    ...figures,
    async task(days_ahead = 0): Promise<string> {
      const not_before = new Date(clock.now() + days_ahead * DAY).toISOString()
      const task = { to_number: NUMBER, text: 'hola', ...(days_ahead > 0 && { not_before }) }
      const [result] = await submitTasks(withoutUrls(world), OURS, [task])
      await world.settle()
      return result!.guid!
    },
    async after(days: number): Promise<void> {
      clock.advance(days * DAY)
      await world.settle()
    },
    async hear({ from }: Device): Promise<void> {
      await world.inbox(from, { id: `sms-${++received}`, from: NUMBER, text: 'yes', at: now() })
    },
    /** The device has them, and sends them in this order. */
    async sends(device: Device, ...guids: string[]): Promise<void> {
      for (const guid of guids) await report(device, guid, 'sent')
    },
    async replied(): Promise<string[]> {
      const rows = await world.db.read.query<{ guid: string }>(
        'select guid from messages where id in (select message_id from inbox)',
        {},
      )
      return rows.map(({ guid }) => guid)
    },
  }
}

for (const [place, outcome] of [
  ['waits for its delivery report', undefined],
  ['was delivered', 'delivered'],
] as const)
  test(`a reply belongs to the task that was sent last, not to the one stored last, if that one ${place}`, async (t) => {
    const { device, task, after, sends, report, hear, replied } = await openReplies(t)
    const one = await device(OURS, 'one')
    const reminder = await task(4)
    await after(2)
    const later = await task()
    await sends(one, later)
    if (outcome) await report(one, later, outcome)
    await after(2)
    await sends(one, reminder)
    if (outcome) await report(one, reminder, outcome)
    await hear(one)
    assert.deepEqual(await replied(), [reminder])
  })

test('a reply belongs to a task that was stored long before it was sent', async (t) => {
  const { device, task, after, sends, report, hear, replied } = await openReplies(t)
  const one = await device(OURS, 'one')
  const reminder = await task(40)
  await after(40)
  await sends(one, reminder)
  await report(one, reminder, 'delivered')
  await after(6.9)
  await hear(one)
  assert.deepEqual(await replied(), [reminder])
})

test('an SMS belongs to no task that was sent more than 7 days before it', async (t) => {
  const { device, task, after, sends, report, hear, replied } = await openReplies(t)
  const one = await device(OURS, 'one')
  const sent = await task()
  await sends(one, sent)
  await report(one, sent, 'delivered')
  await after(7.1)
  await hear(one)
  assert.deepEqual(await replied(), [])
})
