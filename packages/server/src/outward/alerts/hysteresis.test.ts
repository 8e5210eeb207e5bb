import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Finding, follow, type Watch } from './hysteresis.ts'

const MINUTE = 60_000

/** Follows one subject through checks at these times, and returns what happened at each. */
function checks(whole_ms: number | undefined, found: readonly [at_ms: number, finding: Finding][]) {
  let watch: Watch | undefined
  const events = found.map(([at_ms, finding]) => {
    const next = follow(watch, finding, whole_ms, at_ms)
    watch = next.watch
    return next.event ?? '-'
  })
  return { events: events.join(' '), watch }
}

const yes: Finding = { holds: true }
const no: Finding = { holds: false }
const unknown: Finding = { holds: undefined }
const resting: Finding = { holds: true, paused: true }

test('a condition holds for its whole time before the alert opens, and is gone for as long before it is resolved', () => {
  const { events, watch } = checks(2 * MINUTE, [
    [0, yes],
    [MINUTE, yes],
    [2 * MINUTE, yes],
    [3 * MINUTE, no],
    [4 * MINUTE, no],
    [5 * MINUTE, no],
  ])
  assert.deepEqual([events, watch], ['- - opened - - resolved', undefined])
})

test('a condition that pauses begins again, before and after the alert has opened', () => {
  const found: [number, Finding][] = [
    [0, yes],
    [1, no],
    [2, yes],
    [5, yes],
    [6, no],
    [8, yes],
    [9, no],
    [11, no],
    [12, no],
  ]
  assert.equal(checks(3, found).events, '- - - opened - - - - resolved')
})

test('without a time, two checks in a row open and resolve', () => {
  const found: [number, Finding][] = [
    [0, yes],
    [1, no],
    [2, yes],
    [3, yes],
    [4, no],
    [5, yes],
    [6, no],
    [7, no],
  ]
  assert.equal(checks(undefined, found).events, '- - - opened - - - resolved')
})

test('a time of 0 opens and resolves at once', () => {
  assert.equal(
    checks(0, [
      [5, yes],
      [6, no],
    ]).events,
    'opened resolved',
  )
})

test('times that the data tell count, also where the condition ended and began again between two checks', () => {
  const since = (holds: boolean, since_ms: number): Finding => ({ holds, since_ms })
  assert.equal(checks(10, [[100, since(true, 90)]]).events, 'opened')
  const { events, watch } = checks(10, [
    [100, since(true, 95)],
    [106, since(true, 103)],
    [113, since(true, 103)],
    [120, since(false, 114)],
    [126, since(false, 121)],
    [131, since(false, 121)],
  ])
  assert.deepEqual([events, watch], ['- - opened - - resolved', undefined])
})

test('a check that cannot tell changes nothing', () => {
  const found: [number, Finding][] = [
    [0, yes],
    [1, unknown],
    [3, yes],
    [4, no],
    [6, unknown],
    [7, no],
  ]
  assert.equal(checks(3, found).events, '- - opened - - resolved')
})

test('no time runs in maintenance, and it begins again at the end', () => {
  assert.equal(
    checks(3, [
      [0, yes],
      [2, resting],
      [9, resting],
      [10, { holds: true, since_ms: 0 }],
      [12, { holds: true, since_ms: 0 }],
      [13, { holds: true, since_ms: 0 }],
      [14, resting],
      [15, { holds: false, paused: true }],
      [20, { holds: false, since_ms: 14 }],
      [22, { holds: false, since_ms: 14 }],
      [23, { holds: false, since_ms: 14 }],
    ]).events,
    '- - - - - opened - - - - resolved',
  )
  assert.equal(
    checks(undefined, [
      [0, resting],
      [1, { holds: false, paused: true }],
      [2, resting],
      [3, yes],
      [4, yes],
    ]).events,
    '- - - - opened',
  )
})

test('a clock that was set back delays nothing for ever', () => {
  assert.equal(
    checks(10, [
      [1_000, yes],
      [0, yes],
      [10, yes],
    ]).events,
    '- - opened',
  )
})

test('a condition that began or ended in the future, before the clock was set back, counts from the first check', () => {
  const held: Finding = { holds: true, since_ms: 1_000 }
  const gone: Finding = { holds: false, since_ms: 1_000 }
  const found: [number, Finding][] = [
    [0, held],
    [5, held],
    [10, held],
    [11, gone],
    [20, gone],
    [21, gone],
  ]
  assert.equal(checks(10, found).events, '- - opened - - resolved')
})
