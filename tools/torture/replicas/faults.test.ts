import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kind, kinds, planFaults } from './faults.ts'

const needs = { seed: 'a', replicas: 3, rounds: 2, freeze_ms: 120_000, cut_ms: 40_000, away_ms: 20_000 }
const all = Object.keys(kinds) as Kind[]

test('a seed always makes the same faults, in each round every kind once', () => {
  const plan = planFaults(needs)
  assert.deepEqual(planFaults(needs), plan)
  assert.notDeepEqual(planFaults({ ...needs, seed: 'b' }), plan)
  for (const round of [plan.slice(0, all.length), plan.slice(all.length)])
    assert.deepEqual(round.map(({ kind }) => kind).sort(), [...all].sort())
})

test('a fault has as many victims as its name says, each once, and if necessary outlasts a lease', () => {
  for (const { kind, victims, lasts_ms } of planFaults({ ...needs, rounds: 20 })) {
    const count =
      { kill_two: 2, kill_all: 3, rolling: 3, restart: 0, crash: 0, failover: 0 }[kind as string] ?? 1
    assert.equal(new Set(victims).size, count, kind)
    assert.equal(victims.length, count, kind)
    if (kind === 'freeze') assert.equal(lasts_ms, 120_000)
    if (kind === 'cut' || kind === 'hold') assert.ok(lasts_ms >= 20_000 && lasts_ms <= 40_000)
  }
})

test('with two servers, no fault is planned that kills two of several', () => {
  const plan = planFaults({ ...needs, replicas: 2 })
  assert.ok(!plan.some(({ kind }) => kind === 'kill_two'))
})
