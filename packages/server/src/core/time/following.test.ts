import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFollowingClock } from './following.ts'

const BEGAN = Date.parse('2026-06-10T08:00:00.000Z')

/** Another clock, which follows the ticks unless it is set. The test decides how long its answers take. */
function begin() {
  let ticks_ms = 500
  let set_ms = 0
  const following = openFollowingClock(() => ticks_ms)
  const time = () => BEGAN + ticks_ms + set_ms
  return {
    now: following.now,
    off: () => following.now() - time(),
    pass: (ms: number) => void (ticks_ms += ms),
    set: (ms: number) => void (set_ms += ms),
    ask(there_ms: number, back_ms: number) {
      const asked_ms = ticks_ms
      ticks_ms += there_ms
      const said_ms = time()
      ticks_ms += back_ms
      following.heard(asked_ms, said_ms)
    },
  }
}

test('a clock is as accurate as its fastest answer', () => {
  const { off, pass, ask } = begin()
  for (const [there, back] of [
    [40, 60],
    [1, 1],
    [3, 900],
    [900, 3],
    [5_000, 5_000],
  ] as const) {
    ask(there, back)
    pass(2_000)
  }
  assert.ok(Math.abs(off()) <= 1, String(off()))
})

test('a clock that runs slightly fast or slow stays within the answers’ delay', () => {
  const { off, pass, set, ask } = begin()
  for (let n = 0; n < 500; n++) {
    ask(1, 1)
    pass(2_000)
    set(n < 250 ? -1 : 1)
    assert.ok(Math.abs(off()) <= 3, String(off()))
  }
})

test('a small correction never takes the clock back: it stands still until it is right', () => {
  const { now, off, pass, set, ask } = begin()
  ask(1, 1)
  const before = now()
  set(-800)
  ask(1, 1)
  assert.equal(now(), before)
  pass(500)
  assert.equal(now(), before)
  pass(1_000)
  assert.ok(now() > before)
  assert.ok(Math.abs(off()) <= 2, String(off()))
})

test('if the other clock is set by an hour or a day, this one follows', () => {
  const { off, set, ask } = begin()
  ask(1, 1)
  for (const ms of [3_600_000, -86_400_000, -5_000]) {
    set(ms)
    assert.ok(Math.abs(off()) > 1_000)
    ask(1, 1)
    assert.ok(Math.abs(off()) <= 2, String(off()))
  }
})
