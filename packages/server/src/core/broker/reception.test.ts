import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openReception } from './reception.ts'

test('so many CONNECTs are looked at in a turn, and browsers before devices', async () => {
  const { inTurn } = openReception(4)
  const looked: string[] = []
  const look = (what: string) => async () => void looked.push(what)
  const devices = Array.from({ length: 20 }, (_, n) => inTurn('device', look(`device ${n}`)))
  const browser = inTurn('browser', look('browser'))
  const before = looked.length
  await turn()
  await turn()
  assert.equal(looked[before], 'browser')
  assert.ok(looked.length <= before + 12, `${looked.length} in two turns`)
  await Promise.all([...devices, browser])
  assert.deepEqual(
    looked.filter((what) => what !== 'browser'),
    Array.from({ length: 20 }, (_, n) => `device ${n}`),
  )
})

test('no more are under way at once, and one that fails gives its place to the next', async () => {
  const { inTurn } = openReception(2)
  const first = Promise.withResolvers<void>()
  let begun = 0
  const under_way = Array.from({ length: 6 }, () =>
    inTurn('device', () => {
      begun++
      return first.promise
    }),
  )
  for (let turns = 0; turns < 5; turns++) await turn()
  assert.equal(begun, 2)
  first.reject(new Error('the database is gone'))
  const ends = await Promise.allSettled(under_way)
  assert.deepEqual(new Set(ends.map(({ status }) => status)), new Set(['rejected']))
  assert.equal(begun, 6)
})
