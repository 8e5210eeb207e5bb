import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePlan, places } from './plan.ts'

test('a seed always makes the same plan, and another seed another one', () => {
  const plan = makePlan({ seed: 'a', kills: 100, sqlite: true })
  assert.deepEqual(makePlan({ seed: 'a', kills: 100, sqlite: true }), plan)
  assert.notDeepEqual(makePlan({ seed: 'b', kills: 100, sqlite: true }), plan)
})

test('of 110 kills, seventy are anywhere and five at each of the eight places', () => {
  const plan = makePlan({ seed: 'a', kills: 110, sqlite: true })
  const counts = new Map(
    [...Map.groupBy(plan, ({ place }) => place)].map(([place, all]) => [place, all.length]),
  )
  assert.equal(counts.get('anywhere'), 70)
  for (const place of Object.keys(places)) assert.equal(counts.get(place as keyof typeof places), 5, place)
  const starting = plan.filter((kill) => kill.place === 'anywhere' && kill.from === 'start')
  assert.ok(starting.length > 0)
})

test('a short plan has each place once', () => {
  const plan = makePlan({ seed: 'a', kills: 10, sqlite: true })
  assert.equal(plan.length, 10)
  assert.equal(plan.filter(({ place }) => place === 'anywhere').length, 2)
})

test('a database that is not SQLite has no checkpoint among its places', () => {
  const plan = makePlan({ seed: 'a', kills: 110, sqlite: false })
  assert.equal(plan.length, 110)
  assert.equal(plan.filter(({ place }) => place === 'checkpoint').length, 0)
})
