import type { Load } from '../../packages/simulator/src/torture/load.ts'
import { again, type Kill, type PlaceName, places } from './plan.ts'
import type { Victim } from './server.ts'

export type Killing = {
  kills: number
  /** The number of kills by place. */
  at: Record<Kill['place'], number>
  /** For each completed start, the time until /readyz answered 200, in ms. */
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
  /** Called after each kill, before the next start; returns the damage found. */
  killed: (kills: number) => Promise<string[]>
  say: (line: string) => void
}

/**
 * A long life gets another share of messages when its own is used up, since an idle server does nothing to interrupt.
 */
const LOOK_EVERY_MS = 1_000
/** The number of retries for a place that was not reached. */
const TRIES = 3

/** Performs the planned kills, one life after the other, each with its share of the load. */
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
      killing.faults.push(`Time ran out after ${killing.kills} kills, with ${left.length + 1} left`)
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
    else killing.faults.push(`The server never reached '${nameOf(kill)}' in ${tries} lives`)
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
        `After kill ${killing.kills - 1} the server took ${(ready_ms / 1_000).toFixed(1)} s to serve`,
      )
  }
}

export function nameOf({ place }: Pick<Kill, 'place'>): string {
  return place === 'anywhere' ? 'at a random moment' : places[place].says
}
