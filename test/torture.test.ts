import assert from 'node:assert/strict'
import { test } from 'node:test'
import { places } from '../tools/torture/plan.ts'
import { reportOf } from '../tools/torture/report.ts'
import { torture } from '../tools/torture/torture.ts'

/** A short `npm run torture`, with another seed each time so that many runs cover much. */
const seed = String(Math.floor(Math.random() * 1e9))
const KILLS = 10
const MESSAGES = 240

test('a server killed at every critical point loses nothing, sends nothing twice and shows nothing wrong', async (t) => {
  const outcome = await torture({
    seed,
    messages: MESSAGES,
    kills: KILLS,
    devices: 10,
    failing: 0,
    ready_within_ms: 30_000,
    kill_within_ms: 120_000,
    settle_within_ms: 60_000,
    say: () => {},
  })
  for (const line of reportOf(outcome)) t.diagnostic(line)
  const repeat = `npm run torture -- --seed ${seed} --kills ${KILLS} --messages ${MESSAGES}`
  assert.deepEqual(outcome.faults, [], repeat)
  for (const place of Object.keys(places) as (keyof typeof places)[]) assert.ok(outcome.at[place] > 0, place)
  assert.ok(outcome.tasks + outcome.sms >= MESSAGES)
  assert.ok(outcome.acknowledged > MESSAGES / 2 && outcome.on_air > MESSAGES / 2, 'too little to tell')
})
