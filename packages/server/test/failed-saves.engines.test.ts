import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Database } from '#server/database/open.ts'
import type { Tx } from '#server/database/schema.ts'
import { saveRoutes } from '#server/fleet/routes/saving.ts'
import { saveDestinations } from '#server/messages/destinations/destinations.ts'
import { submitTasks } from '#server/tasks/submission.ts'
import { testClock } from './clock.ts'
import { onPostgres } from './engine.ts'
import { openWorld, SUPERADMIN } from './model/world.ts'

/** The rules that a company can save. `save` saves rules that refuse every task, or none. */
const kinds = [
  {
    rules: 'destinations',
    code: 'destination_refused',
    save: (needs: Needs, refusing: boolean) =>
      saveDestinations(needs, SUPERADMIN, {
        allow: [],
        deny: refusing ? ['+34'] : [],
        max_per_recipient_dayly: null,
      }),
  },
  {
    rules: 'routes',
    code: 'no_route',
    save: (needs: Needs, refusing: boolean) =>
      saveRoutes(needs, SUPERADMIN, {
        routes: refusing
          ? [{ match: {}, via: 'nowhere', fallback: 'refuse', fallback_after_secs: 0, enabled: true }]
          : [],
      }),
  },
]

type Needs = Parameters<typeof saveDestinations>[0] & Parameters<typeof saveRoutes>[0]
type Kind = (typeof kinds)[number]

async function begin(t: TestContext, kind: Kind) {
  const clock = testClock('2026-06-10T08:00:00.000Z')
  const world = await openWorld(clock, () => {})
  t.after(() => world.close())
  const needs = { ...world.needs, clock, routesChanged: async () => 0 }
  let tasks = 0
  return {
    save: (refusing: boolean) => kind.save(needs, refusing),
    /** Saves no rules, and then `fail` ends the transaction. */
    failToRemove: (fail: (tx: Tx) => Promise<void>) =>
      assert.rejects(kind.save({ ...needs, db: failing(needs.db, fail) }, false)),
    async submit() {
      const task = { guid: `task-${++tasks}`, to_number: '+34600111222', text: 'hola' }
      const [result] = await submitTasks(needs as never, SUPERADMIN, [task])
      return result!.code ?? result!.status
    },
  }
}

function failing(db: Database, fail: (tx: Tx) => Promise<void>): Database {
  return {
    ...db,
    write: (work, how) =>
      db.write(async (tx) => {
        const value = await work(tx)
        await fail(tx)
        return value
      }, how),
  }
}

async function throwAtEnd(): Promise<never> {
  throw new Error('rolled back')
}

/** SQLite checks the foreign keys at the commit, which fails. */
async function failCommit(tx: Tx): Promise<void> {
  if (onPostgres) return throwAtEnd()
  await tx.query('pragma defer_foreign_keys = on')
  await tx.query('delete from companies')
}

for (const kind of kinds) {
  test(`the old ${kind.rules} stay in force if the commit of their removal fails`, async (t) => {
    const { save, failToRemove, submit } = await begin(t, kind)
    await save(true)
    await failToRemove(failCommit)
    assert.equal(await submit(), kind.code)
    await save(false)
    assert.equal(await submit(), 'received')
  })

  test(`tasks that share a commit with a failed removal of the ${kind.rules} obey them`, async (t) => {
    const { save, failToRemove, submit } = await begin(t, kind)
    await save(true)
    const [before, , after] = await Promise.all([submit(), failToRemove(throwAtEnd), submit()])
    assert.deepEqual([before, after], [kind.code, kind.code])
  })

  test(`a task that shares a commit with a save of ${kind.rules}, and follows it, obeys the new ones`, async (t) => {
    const { save, submit } = await begin(t, kind)
    const [, refused] = await Promise.all([save(true), submit()])
    assert.equal(refused, kind.code)
    assert.equal(await submit(), kind.code)
    const [, received] = await Promise.all([save(false), submit()])
    assert.equal(received, 'received')
    assert.equal(await submit(), 'received')
  })
}
