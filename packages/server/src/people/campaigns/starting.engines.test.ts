import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Caller } from '#server/core/context.ts'
import type { Database } from '#server/database/open.ts'
import { importContacts } from '#server/people/contacts/import.ts'
import { MINUTE, testClock } from '#test/clock.ts'
import { openWorld, SUPERADMIN } from '#test/model/world.ts'
import { createCampaign } from './campaigns.ts'
import { rowStore } from './rows.store.ts'
import { startCampaign } from './starting.ts'
import { campaignStore, countStore } from './store.ts'
import { uploadRows } from './uploading.ts'

const ADMIN: Caller = { ...SUPERADMIN, company_id: 2 }

/** A draft with a number twice, and a list of which one member is among the rows. */
async function begin(t: TestContext) {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const { db } = world
  const needs = { ...world.needs, feed() {} }
  const members = ['+34600111222', '+34600111224', '+34600111225']
  const contacts = members.map((number) => ({ number, lists: ['clients'] }))
  await importContacts(needs, ADMIN, contacts)
  const draft = { name: 'News', text: 'hola', class: 'transactional', lists: ['clients'] } as const
  const { id } = await createCampaign(needs, ADMIN, { ...draft, lists: [...draft.lists] })
  const numbers = ['+34600111222', '+34600111222', '+34600111223']
  await uploadRows(needs, ADMIN, id, {
    first_row: 1,
    rows: numbers.map((number) => ({ number })),
    last: true,
  })
  return {
    clock,
    needs,
    /** Starts the draft, and calls `before` with the number of each write. */
    start: (before: (write: number) => Promise<void> | void = () => {}) => {
      let writes = 0
      const write: Database['write'] = async (work) => {
        await before(++writes)
        return db.write(work)
      }
      return startCampaign({ ...needs, db: { ...db, write } }, ADMIN, id, 4)
    },
    async assertStarted() {
      const rows = await rowStore(db.read, id).after(0, 100)
      assert.deepEqual(
        rows.map(({ line, number, state }) => [line, number, state]),
        [
          [1, '+34600111222', 'pending'],
          [2, '+34600111222', 'skipped'],
          [3, '+34600111223', 'pending'],
          [4, '+34600111222', 'skipped'],
          [5, '+34600111224', 'pending'],
          [6, '+34600111225', 'pending'],
        ],
      )
      const counts = countStore(db.read)
      assert.deepEqual([await counts.one(id, 'pending'), await counts.one(id, 'skipped')], [4, 2])
      assert.equal((await campaignStore(db.read, 'all').byId(id))?.state, 'running')
    },
  }
}

test('a second start of a draft at the same time waits for the first, and each number is sent to once', async (t) => {
  const { start, assertStarted } = await begin(t)
  let second: Promise<unknown> | undefined
  await start(async (write) => {
    if (write !== 4) return
    // Before the first starts, the second has taken its first step.
    const stepped = Promise.withResolvers<void>()
    second = start((its) => {
      if (its === 2) stepped.resolve()
    })
    await Promise.race([stepped.promise, second])
  })
  assert.ok(second)
  await second
  await assertStarted()
})

test('a draft can be started again after its start broke off', async (t) => {
  const { start, clock, assertStarted } = await begin(t)
  const died = new Error('the server died')
  await assert.rejects(
    start((write) => {
      if (write > 2) throw died
    }),
    died,
  )
  clock.advance(MINUTE)
  await start()
  await assertStarted()
})
