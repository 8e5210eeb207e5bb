import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBench } from '#test/ledgers.ts'
import { openTime } from '#test/time.ts'
import { openDiskRetry } from './disk-retry.ts'
import { openKeeper, watchParts } from './keeper.ts'

const HOUR_MS = 3_600_000

function openParts() {
  const bench = openBench()
  const time = openTime()
  const say = (): void => undefined
  const needs = { ledger: bench, diskRetry: openDiskRetry({ clock: time, say }), clock: time, say, kept: say }
  watchParts(needs)
  const keeper = openKeeper({ ...needs, changed: say })
  const receive = (n: number) => {
    const at = new Date(time.now()).toISOString()
    const concat = { ref: 5, refBits: 8, n, of: 2 } as const
    return keeper.receivedPart({ id: `part-${n}`, from: '+34600111222', text: `[${n}]`, at, concat })
  }
  return { time, receive, outgoing: bench.outgoing }
}

test('missing parts of a long SMS are given up after six hours', async () => {
  const { time, receive, outgoing } = openParts()
  await receive(1)
  await time.pass(6 * HOUR_MS - 60_000)
  assert.deepEqual(outgoing(), [])
  await time.pass(2 * 60_000)
  assert.deepEqual(outgoing(), ['sms [1] […] [1 of 2 parts missing]'])
})

test('missing parts are not given up because the clock of the machine was set forward', async () => {
  for (const second_arrives of [true, false]) {
    const { time, receive, outgoing } = openParts()
    await receive(1)
    time.set(24 * HOUR_MS)
    await time.pass(5 * HOUR_MS)
    assert.deepEqual(outgoing(), [])
    if (second_arrives) await receive(2)
    await time.pass(2 * HOUR_MS)
    assert.deepEqual(outgoing(), [second_arrives ? 'sms [1][2]' : 'sms [1] […] [1 of 2 parts missing]'])
  }
})
