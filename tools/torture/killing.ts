import type { Load } from '../../packages/simulator/src/torture/load.ts'
import { again, type Kill, type PlaceName, places } from './plan.ts'
import type { Victim } from './server.ts'

export type Killing = {
  kills: number
  /** How many of them where. */
  at: Record<Kill['place'], number>
  /** Of each start that came so far: until /readyz said 200, in ms. */
  ready_ms: number[]
  faults: string[]
}

type Needs = {
  plan: readonly Kill[]
  victim: Pick<Victim, 'live'>
  load: Pick<Load, 'release' | 'waiting'>
  /** Messages of one life. */
  share: number
  within_ms: number
  ready_within_ms: number
  /** After each kill, before the next start; answers what is damaged. */
  killed: (kills: number) => Promise<string[]>
  say: (line: string) => void
}

/** A life that lasts gets another share of messages where its own is used up: without any nothing happens in it. */
const LOOK_EVERY_MS = 1_000
/** How often a place that was not reached is tried again. */
const TRIES = 3

/** Kills as planned, one life after the other, each with its share of the load. */
export async function killAgain(needs: Needs): Promise<Killing> {
  const { plan, victim, load, share, say } = needs
  const left = plan.map((kill) => ({ kill, tries: 1 }))
  const at = Object.fromEntries(
    ['anywhere', ...Object.keys(places)].map((name) => [name, 0]),
  ) as Killing['at']
  const killing: Killing = { kills: 0, at, ready_ms: [], faults: [] }
  const until = performance.now() + needs.within_ms

  for (let next = left.shift(); next; next = left.shift()) {
    if (performance.now() > until) {
      killing.faults.push(`After ${killing.kills} kills the time was over: ${left.length + 1} were left`)
      break
    }
    const { kill, tries } = next
    load.release(share)
    const feeding = setInterval(() => load.waiting() === 0 && load.release(share), LOOK_EVERY_MS)
    const { reached, ready_ms } = await victim.live(kill).finally(() => clearInterval(feeding))
    killing.kills++
    if (ready_ms !== undefined) noteReady(ready_ms)
    if (reached) at[kill.place]++
    else if (tries < TRIES) left.push({ kill: again(kill.place as PlaceName), tries: tries + 1 })
    else killing.faults.push(`The server never came to '${nameOf(kill)}' in ${tries} lives`)
    const damages = await needs.killed(killing.kills)
    killing.faults.push(
      ...damages.map((said) => `After kill ${killing.kills} the database is damaged: ${said}`),
    )
    if (killing.kills % 10 === 0) say(`kill ${killing.kills} of ${plan.length} (${nameOf(kill)})`)
  }
  return killing

  function noteReady(ready_ms: number): void {
    killing.ready_ms.push(ready_ms)
    if (ready_ms > needs.ready_within_ms)
      killing.faults.push(
        `After kill ${killing.kills - 1} it took ${(ready_ms / 1_000).toFixed(1)} s until it served`,
      )
  }
}

export function nameOf({ place }: Pick<Kill, 'place'>): string {
  return place === 'anywhere' ? 'at a random moment' : places[place].says
}
