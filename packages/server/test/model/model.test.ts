import { test } from 'node:test'
import * as fc from 'fast-check'
import { eventsOf } from './events.ts'
import { play } from './play.ts'

/** At least this many plays, and more until this time is over; `npm run fuzz -- model` plays longer. */
const LEAST_PLAYS = 3
const PLAY_MS = 12_000

test('messages follow the contract, whatever happens in whatever order', async (t) => {
  const seed = Math.trunc(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const states = new Set<string>()
  let plays = 0
  const property = fc.asyncProperty(eventsOf(20, 120), async (events) => {
    for (const state of (await play(events)).states) states.add(state)
    plays++
  })
  await fc.assert(property, { seed, numRuns: LEAST_PLAYS })
  await fc.assert(property, { seed: seed + 1, numRuns: 1_000, interruptAfterTimeLimit: PLAY_MS })
  t.diagnostic(`${plays} plays; messages came to ${[...states].join(', ')}`)
})
