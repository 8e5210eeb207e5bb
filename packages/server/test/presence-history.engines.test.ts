import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { instant } from '#server/core/clock.ts'
import { unlinkDevice } from '#server/fleet/linking/unlinking.ts'
import { forgetPresence, noteAlive } from '#server/fleet/presence/gaps.ts'
import { readDeviceHistory } from '#server/insight/dashboard/device-detail.ts'
import { HOUR, MINUTE, testClock } from './clock.ts'
import { openWorld, SUPERADMIN } from './model/world.ts'

const DAY = 24 * HOUR
const START = '2026-06-10T08:00:00.000Z'

async function begin(t: TestContext) {
  const clock = testClock(START)
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  let connections = 0
  const id = await world.link(1, 'drone')
  const connection = () => {
    const number = ++connections
    return { connection_id: `c${number}`, connection: number, uid: 'drone', device_id: id, company_id: 1 }
  }
  const history = (asked: { from?: string; to?: string } = {}, scope: typeof SUPERADMIN.scope = 'all') =>
    readDeviceHistory(world.needs, scope, 'drone', asked)
  return {
    clock,
    world,
    history,
    async connect() {
      const from = connection()
      await world.status(from, { status: 'connected', session: `s${from.connection}`, agent: 'test/1' })
      return from
    },
    /** Each stretch by its hours since the start. */
    async told(asked: { from?: string; to?: string } = {}): Promise<string[]> {
      const hours = (at: string) => (Date.parse(at) - Date.parse(START)) / HOUR
      const { presence } = await history(asked)
      return presence.map(({ from, to, state }) => `${hours(from)} to ${hours(to)} ${state}`)
    },
    after: (hours: number) => instant(Date.parse(START) + hours * HOUR),
  }
}

test('the history of a device begins with its link and has a stretch for each change', async (t) => {
  const { clock, world, connect, told, after } = await begin(t)
  clock.advance(HOUR)
  const from = await connect()
  clock.advance(2 * HOUR)
  await world.cut(from)
  await world.cut(from)
  clock.advance(HOUR)
  await connect()
  clock.advance(HOUR)
  const all = ['0 to 1 disconnected', '1 to 3 connected', '3 to 4 disconnected', '4 to 5 connected']
  assert.deepEqual(await told(), all)
  assert.deepEqual(await told({ from: after(2), to: after(3.5) }), [
    '2 to 3 connected',
    '3 to 3.5 disconnected',
  ])
  assert.deepEqual(await told({ from: after(-50), to: after(1_000) }), all)
  assert.deepEqual(await told({ from: after(6), to: after(7) }), [])
  const rows = await world.db.read.query('select device_id from presence')
  assert.equal(rows.length, 4, 'a row for each change')
})

test('the history is unknown while no server ran, and a device that did not come back is then disconnected', async (t) => {
  const { clock, world, connect, told } = await begin(t)
  await connect()
  await noteAlive(world.needs, 2 * MINUTE)
  for (let minute = 0; minute < 60; minute++) {
    clock.advance(MINUTE)
    await noteAlive(world.needs, 2 * MINUTE)
  }
  clock.advance(3 * HOUR)
  if (world.db.channel === undefined) await world.restart()
  await noteAlive(world.needs, 2 * MINUTE)
  clock.advance(HOUR)
  const last = world.db.channel === undefined ? 'disconnected' : 'connected'
  assert.deepEqual(await told(), ['0 to 1 connected', '1 to 4 unknown', `4 to 5 ${last}`])
})

test('a silence of the servers is a gap only if it is longer than allowed', async (t) => {
  const { clock, world, connect, told } = await begin(t)
  await connect()
  await noteAlive(world.needs, 2 * MINUTE)
  clock.advance(HOUR)
  await noteAlive(world.needs, HOUR)
  assert.deepEqual(await told(), ['0 to 1 connected'])
  clock.advance(HOUR)
  await noteAlive(world.needs, 0)
  assert.deepEqual(await told(), ['0 to 1 connected', '1 to 2 unknown'])
})

test('changes are removed after 30 days, except the last one of a linked device', async (t) => {
  const { clock, world, connect, told } = await begin(t)
  await noteAlive(world.needs, 0)
  clock.advance(HOUR)
  await noteAlive(world.needs, 0)
  const from = await connect()
  clock.advance(HOUR)
  await world.cut(from)
  clock.advance(HOUR)
  await connect()
  clock.advance(30 * DAY - 2 * HOUR)
  const rows = async () =>
    (await world.db.read.query('select at from presence order by at')) as { at: string }[]
  const before = await told({ from: START })
  assert.equal(before.length, 3)
  assert.equal(await forgetPresence(world.needs), false)
  assert.equal((await rows()).length, 3, 'the link is replaced, and the connection 30 days ago still holds')
  assert.deepEqual(await told({ from: START }), before)
  clock.advance(2 * HOUR)
  await forgetPresence(world.needs)
  assert.equal((await rows()).length, 1)
  const gaps = await world.db.read.query('select began_at from presence_gaps where ended_at is not null')
  assert.deepEqual(gaps, [])
  const live = { ...world.needs.live, changed() {} }
  await unlinkDevice({ ...world.needs, live }, SUPERADMIN, 'drone')
  clock.advance(31 * DAY)
  await forgetPresence(world.needs)
  assert.deepEqual(await rows(), [])
})

test('a period that ends before it begins is refused, and other companies learn nothing', async (t) => {
  const { history, after } = await begin(t)
  await assert.rejects(
    history({ from: after(2), to: after(1) }),
    (fault: { code: string; fields: object }) => {
      assert.deepEqual([fault.code, Object.keys(fault.fields)], ['invalid', ['from']])
      return true
    },
  )
  await assert.rejects(history({}, { company_id: 2 }), { code: 'unknown_device' })
})
