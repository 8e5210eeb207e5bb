import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOwnBalancer } from '../tools/torture/replicas/balancer.ts'
import { planFaults } from '../tools/torture/replicas/faults.ts'
import { reportOfSeveral } from '../tools/torture/replicas/report.ts'
import { tortureSeveral } from '../tools/torture/replicas/several.ts'

/** A short `npm run torture -- --replicas 2`, without HAProxy; another seed each time. */
const seed = String(Math.floor(Math.random() * 1e9))
const replicas = 2
const only = ['deaf', 'kill', 'rolling'] as const

test('if one of two servers is killed and then both are replaced, nothing is lost, sent twice or shown wrongly', async (t) => {
  const spans = { freeze_ms: 0, cut_ms: 0, away_ms: 0 }
  const outcome = await tortureSeveral({
    seed,
    replicas,
    plan: planFaults({ seed, replicas, rounds: 1, only, ...spans }),
    devices: 8,
    rate: 10,
    failing: 0,
    calm_ms: 1_000,
    settle_within_ms: 60_000,
    // The machine may be busy; `npm run torture` checks durations and refused requests.
    on_time: false,
    startBalancer: startOwnBalancer,
    drain_secs: 1,
    say: () => {},
  })
  for (const line of reportOfSeveral(outcome)) t.diagnostic(line)
  assert.deepEqual(outcome.faults, [], `seed ${seed}`)
  assert.equal(outcome.ordeals.length, only.length)
  assert.ok(outcome.on_air > 20, 'too little to tell')
})
