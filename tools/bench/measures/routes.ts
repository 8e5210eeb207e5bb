import type { RouteRule } from '../../../packages/contract/src/fleet/routes.ts'
import { type Measure, openResult } from '../bench.ts'
import { groupOf, openClaims } from '../claims.ts'
import { median } from '../statistics.ts'

const RULES = 50
/** Devices for each that the other rows have. */
const DEVICES = 10
const WAITING = 2_000
/** Few messages, each of another group. */
const FEW = 20
/** Runs with few messages for each with many. */
const TIMES = 10

type Kind = 'without routes' | 'with routes that match none' | 'fallback wait' | 'fallback any'
const KINDS: readonly Kind[] = [
  'without routes',
  'with routes that match none',
  'fallback wait',
  'fallback any',
]

/**
 * The processor time of a claim with 50 routes, each to a group of its own, ÷ without routes: 2,000 waiting messages,
 * spread over the groups. Without PostgreSQL's own time.
 */
export const routes: Measure = {
  ids: ['routes'],
  async run(bench) {
    const devices = DEVICES * bench.devices
    const groups = Math.min(RULES, devices)
    const claims = await openClaims(await bench.home('routes'), { devices, groups })
    // A device has ten at most, and none is freed meanwhile.
    const waiting = Math.min(WAITING, bench.messages, devices * 5)
    const sheet = openResult('routes')
    const costs = new Map<string, number[]>()

    async function costOf(kind: Kind, messages: number, times: number): Promise<void> {
      const numbers = Array.from({ length: messages }, (_, place) => numberFor(place))
      const each: number[] = []
      for (let time = 0; time < times; time++)
        each.push(await claims.handOver(routesOf(kind, groups), numbers))
      costs.getOrInsertComputed(`${kind}, ${messages} waiting`, () => []).push(median(each))
    }

    async function round(place: number): Promise<void> {
      for (const kind of place % 2 === 0 ? KINDS.toReversed() : KINDS) {
        await costOf(kind, waiting, 1)
        await costOf(kind, FEW, TIMES)
      }
    }

    // A round that does not count: code is compiled when it first runs.
    await round(0)
    costs.clear()
    await bench.postgres?.settle('routes')
    for (let place = 1; place <= bench.rounds; place++) {
      await round(place)
      bench.say(`routes: round ${place} of ${bench.rounds}`)
    }
    for (const [name, all] of costs) for (const cost of all) sheet.figure(`µs ${name}`, cost)
    const cost = (kind: Kind) => median(costs.get(`${kind}, ${waiting} waiting`)!)
    sheet.value(cost('fallback wait') / cost('without routes'))
    if (waiting < WAITING) sheet.note(`with ${waiting} messages for 2,000`)
    await claims.close()
    return [sheet.end()]
  },
}

/** Neighbours are of different groups. */
function numberFor(place: number): string {
  return `+3460${String((place * 7) % RULES).padStart(2, '0')}${String(place).padStart(5, '0')}`
}

function routesOf(kind: Kind, groups: number): RouteRule[] {
  if (kind === 'without routes') return []
  const fallback = kind === 'fallback any' ? 'any' : 'wait'
  const begin = kind === 'with routes that match none' ? '+3470' : '+3460'
  return Array.from({ length: RULES }, (_, group) => ({
    id: group + 1,
    match: { prefix: `${begin}${String(group).padStart(2, '0')}` },
    via: groupOf(group % groups),
    fallback,
    fallback_after_secs: 0,
    enabled: true,
    note: null,
  }))
}
