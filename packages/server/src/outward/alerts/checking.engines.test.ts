import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AlertCondition } from '@sdd/contract/outward/alerts.ts'
import { testClock } from '#test/clock.ts'
import { openWorld } from '#test/model/world.ts'
import { openAlertChecks } from './checking.ts'
import { alertRuleStore, alertStore } from './store.ts'

const installation = {
  backup_folder: undefined,
  freeBytes: () => undefined,
  certificateExpires: () => undefined,
}

/** A device, a rule that alerts at once, and checks during which something happens. */
async function begin(t: TestContext, condition: AlertCondition) {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const device_id = await world.link(1, 'roof')
  const from = { connection_id: 'c1', connection: 1, uid: 'roof', device_id, company_id: 1 }
  await world.db.write((tx) =>
    alertRuleStore(tx, 'all').insert({
      company_id: 1,
      condition,
      value: 0,
      rate_of: null,
      rate_over: null,
      tags: '[]',
      channels: '[]',
      enabled: 1,
    }),
  )
  const reads = world.db.readInWorker
  let meanwhile: (() => Promise<unknown>) | undefined
  const readInWorker: typeof reads = Object.assign(Object.create(reads), {
    async rows(...asked: Parameters<typeof reads.rows>) {
      const rows = await reads.rows(...asked)
      const happens = meanwhile
      meanwhile = undefined
      await happens?.()
      return rows
    },
  })
  const db = { ...world.db, readInWorker }
  const open = () =>
    openAlertChecks({ ...world.needs, db, clock, rules: world.needs.numbers.rules, installation })
  let check = open()

  return {
    /** As after a start of the server. */
    restart: () => void (check = open()),
    /** `happens` between the first read and the second. */
    async check(happens?: () => Promise<unknown>): Promise<void> {
      clock.advance(1_000)
      meanwhile = happens
      await check()
      assert.equal(meanwhile, undefined, 'it happened')
    },
    async connect(ready = true): Promise<void> {
      await world.status(from, { status: 'connected', session: 's1', agent: 'test/1' })
      const radio = { ready, says: ready ? 'registered' : 'gone' }
      await world.networks(from, { wifi: null, mobile: null, radio })
    },
    cut: () => world.cut(from),
    async alerts() {
      const asked = { open: undefined, below: undefined, shown: [condition] }
      const rows = await alertStore(world.db.read, 'all').page(asked, 10)
      return rows.map(({ resolved_at }) => (resolved_at === null ? 'open' : 'resolved'))
    },
  }
}

test('a device that comes back during a check after a start has no alert', async (t) => {
  const { restart, check, connect, cut, alerts } = await begin(t, 'device_away')
  await connect()
  await cut()
  restart()
  await check(connect)
  await check()
  assert.deepEqual(await alerts(), [])
  await cut()
  await check()
  assert.deepEqual(await alerts(), ['open'])
})

test('the alert about a radio stays open if its device comes back during a check, and the radio is not ready', async (t) => {
  const { restart, check, connect, cut, alerts } = await begin(t, 'radio_not_ready')
  await connect(false)
  await check()
  assert.deepEqual(await alerts(), ['open'])
  await cut()
  restart()
  await check(() => connect(false))
  assert.deepEqual(await alerts(), ['open'])
  await connect()
  await check()
  assert.deepEqual(await alerts(), ['resolved'])
})
