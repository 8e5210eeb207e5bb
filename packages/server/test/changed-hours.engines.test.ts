import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DEFAULT_HOURS, type Hours } from '@sdd/contract/accounts/sending-hours.ts'
import { openNumbers } from '#server/accounts/settings/numbers.ts'
import { saveGlobalSettings } from '#server/accounts/settings/settings.ts'
import { openPeers } from '#server/core/replicas/replicas.ts'
import { startFeeding } from '#server/people/campaigns/feeding.ts'
import { countStore } from '#server/people/campaigns/store.ts'
import { submitTasks } from '#server/tasks/submission.ts'
import { testClock } from './clock.ts'
import { onPostgres } from './engine.ts'
import { openWorld, SUPERADMIN } from './model/world.ts'

/** A task that is stored right after a change of the sending hours waits by the new ones. */

const NOW = '2026-06-10T08:00:00.000Z'
const OPENS = '2026-06-10T18:00:00.000Z'
const COMPANY = SUPERADMIN.company_id
const EVENING: Hours = {
  windows: [{ days: ['wed'], from: '20:00', to: '21:00' }],
  zone: 'Europe/Madrid',
  holidays: [],
}

async function begin(t: TestContext) {
  const clock = testClock(NOW)
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const { needs, db } = world
  let tasks = 0
  /** Until when the latest task waits; null if it does not wait for its hours. */
  async function untilWhen(): Promise<string | null> {
    const [row] = await db.read.query<{ lane_until: string | null }>(
      'select lane_until from queue where id = (select id from messages where guid = :guid)',
      { guid: `task-${tasks}` },
    )
    return row!.lane_until
  }
  return {
    world,
    /** Another server, which hears of no change. */
    async otherServer() {
      return { ...needs, numbers: await openNumbers({ db, peers: openPeers(undefined), log: needs.log }) }
    },
    save: (transactional: Hours | null, default_country?: string) =>
      saveGlobalSettings(needs, SUPERADMIN, {
        spoof_time_secs: 0,
        send_enabled: true,
        ...(default_country !== undefined && { default_country }),
        sending_hours: { ...DEFAULT_HOURS, transactional },
      }),
    /** Submits a task, and returns until when it waits. */
    async submit(by: object = needs, to_number = '+34600111222'): Promise<string | null> {
      await submitTasks(by as never, SUPERADMIN, [{ guid: `task-${++tasks}`, to_number, text: 'hola' }])
      return untilWhen()
    },
    untilWhen,
  }
}

test('a task that shares a commit with a change of the hours, and follows it, waits by the new ones', async (t) => {
  const { save, submit } = await begin(t)
  const [, later] = await Promise.all([save(EVENING), submit()])
  assert.equal(later, OPENS)
  assert.equal(await submit(), OPENS)
  const [, at_once] = await Promise.all([save(null), submit()])
  assert.equal(at_once, null)
  assert.equal(await submit(), null)
})

test('a task to a short code waits by the hours of the country, and is looked at again after a change of it', async (t) => {
  const { save, submit, untilWhen } = await begin(t)
  await save({ ...EVENING, zone: 'recipient' })
  assert.equal(await submit(undefined, '22000'), OPENS)
  await save({ ...EVENING, zone: 'recipient' }, 'JP')
  assert.equal(await untilWhen(), NOW)
})

if (onPostgres) {
  test('a task waits by the hours that another server has saved, before this one has heard of them', async (t) => {
    const { save, submit, otherServer } = await begin(t)
    const other = await otherServer()
    await save(EVENING)
    assert.equal(await submit(other), OPENS)
    await save(null)
    assert.equal(await submit(other), null)
  })

  test('a campaign goes by the hours that another server has saved, before this one has heard of them', async (t) => {
    const { save, otherServer, world } = await begin(t)
    await save(EVENING)
    const other = await otherServer()
    await save(null)
    await world.db.write(async (tx) => {
      await tx.query(`insert into campaigns
          (id, company_id, name, name_key, text, class, state, lists, created_at, rows, version)
        values (1, ${COMPANY}, 'Hot', 'hot', 'x', 'transactional', 'running', '[]', '${NOW}', 1, 1) returning id`)
      await tx.query(`insert into campaign_rows (campaign_id, line, number, name_key, fields, due_at, state, blocked)
        values (1, 1, '+34600111222', '', '{}', '', 'pending', 0) returning line`)
      await countStore(tx).add(1, 'pending', 1)
    })
    const fed = Promise.withResolvers<void>()
    const live = {
      ...other.live,
      changed: (_: number, ...what: string[]) => what.includes('campaigns') && fed.resolve(),
    }
    const feeding = startFeeding({ ...other, live, replica: { leads: () => true } } as never)
    t.after(() => feeding.stop())
    await fed.promise
    const rows = await world.db.read.query('select state, due_at from campaign_rows', {})
    assert.deepEqual(rows, [{ state: 'queued', due_at: '' }])
  })
}
