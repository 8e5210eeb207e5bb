import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ago, dayTime, formatDuration, shortTime, withShortTimes } from '#console/ui/time.ts'

test('relative times use the largest unit that fits', () => {
  const now = Date.UTC(2026, 10, 21)
  const cases = [
    [0, 'hace 0 s'],
    [59, 'hace 59 s'],
    [60, 'hace 1 min'],
    [3_599, 'hace 59 min'],
    [3_600, 'hace 1 h'],
    [86_400, 'hace 1 día'],
    [200_000, 'hace 2 días'],
  ] as const
  for (const [secs, said] of cases) assert.equal(ago(now - secs * 1000, now), said)
})

test('a time in the future shows no negative age', () => {
  assert.equal(ago(2_000, 1_000), 'hace 0 s')
})

test('a text that is not a time is shown unchanged', () => {
  assert.equal(shortTime('ayer'), 'ayer')
  assert.equal(dayTime(''), '')
})

test('the times in a sentence are shown as local times, and the rest unchanged', () => {
  assert.match(
    withShortTimes('Since 2019-03-04T05:06:07.000Z, until 2019-03-05T05:06:07Z.'),
    /^Since 0[34]\/03\/2019 \d\d:06:07, until 0[45]\/03\/2019 \d\d:06:07\.$/,
  )
  assert.equal(withShortTimes('At noon'), 'At noon')
})

test('a time of another year shows its year', () => {
  assert.match(shortTime('2019-03-04T05:06:07.000Z'), /^0[34]\/03\/2019 \d\d:06:07$/)
})

test('a duration uses the unit that a person would use', () => {
  const said = [0.04, 0.8, 42, 180, 5_400].map(formatDuration)
  assert.deepEqual(said, ['40 ms', '0,8 s', '42 s', '3 min', '1,5 h'])
})
