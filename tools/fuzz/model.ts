import * as fc from 'fast-check'
import { eventsOf } from '../../packages/server/test/model/events.ts'
import { play } from '../../packages/server/test/model/play.ts'

const LEAST_EVENTS = 20
const MOST_EVENTS = 300
const PLAYS_BETWEEN_WORDS = 200

/** Plays random events for this long. If the rules and the model differ, prints the difference and resolves to 1. */
export async function playModel({ seconds, seed }: { seconds: number; seed: number }): Promise<number> {
  const began_ms = Date.now()
  let plays = 0
  let events = 0
  const property = fc.asyncProperty(eventsOf(LEAST_EVENTS, MOST_EVENTS), async (sequence) => {
    await play(sequence)
    plays++
    events += sequence.length
    if (plays % PLAYS_BETWEEN_WORDS === 0) say()
  })
  const say = () => {
    const secs = Math.round((Date.now() - began_ms) / 1_000)
    console.log(`model: ${secs} s, ${plays} plays, ${events} events`)
  }
  const outcome = await fc.check(property, {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: seconds * 1_000,
  })
  say()
  if (!outcome.failed || outcome.counterexample === null) return 0
  const { counterexample, counterexamplePath, errorInstance } = outcome
  console.log(`model: FOUND with seed ${seed}, path ${counterexamplePath}`)
  console.log(errorInstance instanceof Error ? errorInstance.message : errorInstance)
  for (const event of counterexample[0]) console.log(`  ${JSON.stringify(event)},`)
  return 1
}
