import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyCaller } from '#server/core/context.ts'
import { testClock } from '#test/clock.ts'
import { openWorld } from '#test/model/world.ts'
import { withoutUrls } from '#test/model/steps.ts'
import { openDoorSubmission } from './submitting.ts'

test('a recipient whose task cannot be stored is refused, and the others are taken', async (t) => {
  const world = await openWorld(testClock('2026-06-10T08:00:00.000Z'), () => {})
  t.after(() => world.close())
  const { db } = world
  const needs = withoutUrls(world)
  const entry = { countMessages: () => {} }
  let writes = 0
  const write: typeof db.write = (...asked) => {
    if (++writes > 1) return Promise.reject(new Error('The database is away'))
    return db.write(...asked)
  }
  const logged: unknown[] = []
  const log = { ...needs.log, error: (fields: unknown) => void logged.push(fields) }
  const submission = openDoorSubmission({ ...needs, log, db: { ...db, write } } as never, entry)
  const caller = world.superadmin as unknown as KeyCaller
  const recipients = Array.from({ length: 201 }, (_, n) => ({ to: `+34600111${String(n).padStart(3, '0')}` }))
  const done = await submission.each(caller, recipients, { text: 'hola' })
  const refused = done.filter((one) => one.refused !== undefined)
  assert.deepEqual([...new Set(refused.map((one) => one.refused))], ['unavailable'])
  assert.equal(logged.length, refused.length)
  const [{ count }] = (await db.read.query('select count(*) as count from messages', {})) as [
    { count: number },
  ]
  assert.equal(Number(count), done.length - refused.length)
  assert.ok(refused.length > 0 && refused.length < done.length)
})
