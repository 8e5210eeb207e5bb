import type { CrashPoint } from '../../packages/server/src/core/crash-points.ts'
import { openRandom, type Random, shuffle } from '../../packages/simulator/src/random.ts'

/**
 * One kill -9 of the server: some time after its start or its readiness, or when it reaches a place for the nth time.
 */
export type Kill =
  | { readonly place: 'anywhere'; readonly after_ms: number; readonly from: 'start' | 'ready' }
  | { readonly place: PlaceName; readonly nth: number }

export type Place = {
  readonly says: string
  /** The point where the process kills itself; `undefined` if another process kills it. */
  readonly point: CrashPoint | undefined
  /** Only if it has passed this point since it was last at `point`. */
  readonly behind?: CrashPoint
  /** Waits one turn of the event loop, so that its last writes may leave first. */
  readonly soon?: true
  /** The nth time is drawn from 1 to this. */
  readonly most: number
}

/** Places between two durable steps of a message's way, and within steps that take time. */
export const places = {
  inserting: { says: "inside an insert's commit", point: 'committing', behind: 'inserted', most: 15 },
  stored: { says: 'after the insert, before the answer', point: 'stored', most: 15 },
  claiming: { says: "inside a hand-over's commit", point: 'committing', behind: 'claimed', most: 15 },
  published: {
    says: 'after the publish, before its PUBACK',
    point: 'commanded',
    soon: true,
    most: 40,
  },
  acknowledged: { says: "after the device's PUBACK", point: 'acknowledged', most: 40 },
  reporting: { says: "inside a report's commit", point: 'committing', behind: 'reported', most: 20 },
  checkpoint: { says: 'during a checkpoint of the database', point: undefined, most: 1 },
  callback: { says: 'during a callback', point: 'posted', soon: true, most: 40 },
} as const satisfies Record<string, Place>

export type PlaceName = keyof typeof places

/** The share of all kills at each of the places. */
const EACH = 1 / 22
/** The share of the other kills that come during a start. */
const STARTING = 1 / 7
const LONGEST_LIFE_MS = 3_000
const LONGEST_START_MS = 1_000

/** A seed always makes the same plan. Each place has its turn at least once; the checkpoint only with `sqlite`. */
export function makePlan({ seed, kills, sqlite }: { seed: string; kills: number; sqlite: boolean }): Kill[] {
  const random = openRandom(`${seed} plan`)
  const names = (Object.keys(places) as PlaceName[]).filter((place) => sqlite || place !== 'checkpoint')
  const each = Math.max(1, Math.round(kills * EACH))
  const named = names.flatMap((place) => Array.from({ length: each }, () => atPlace(place, random)))
  const others = Array.from({ length: Math.max(0, kills - named.length) }, () => anywhere(random))
  return shuffle([...named, ...others], random)
}

/** A retry at a place that was not reached: as soon as it is. */
export function again(place: PlaceName): Kill {
  return { place, nth: 1 }
}

function atPlace(place: PlaceName, random: Random): Kill {
  return { place, nth: random.between([1, places[place].most]) }
}

function anywhere(random: Random): Kill {
  const from = random.chance(STARTING) ? 'start' : 'ready'
  const longest_ms = from === 'start' ? LONGEST_START_MS : LONGEST_LIFE_MS
  return { place: 'anywhere', after_ms: random.between([0, longest_ms]), from }
}
