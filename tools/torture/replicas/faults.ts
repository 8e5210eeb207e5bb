import { openRandom, type Random, shuffle } from '../../../packages/simulator/src/random.ts'

/** A fault of the servers or of their database and network. */
export type Fault = {
  readonly kind: Kind
  /** The indexes of the affected servers. */
  readonly victims: readonly number[]
  readonly lasts_ms: number
}

export const kinds = {
  kill: 'one server is killed (kill -9)',
  kill_two: 'two are killed at once',
  kill_all: 'all are killed at once',
  freeze: 'one sleeps (SIGSTOP) and resumes',
  cut: 'one is cut off from PostgreSQL (connections are reset)',
  hold: 'one is cut off from PostgreSQL (traffic stalls, connections stay open)',
  deaf: "one's session for events from other servers is reset",
  mute: "one's session for events from other servers goes silent",
  restart: 'PostgreSQL restarts (fast)',
  crash: 'PostgreSQL restarts (immediate)',
  failover: 'PostgreSQL is killed, and its standby takes over',
  rolling: 'a rolling restart, one server after the other',
} as const

export type Kind = keyof typeof kinds

/** Faults after which the victims no longer have any of their devices. */
export const DEADLY: ReadonlySet<Kind> = new Set<Kind>([
  'kill',
  'kill_two',
  'kill_all',
  'freeze',
  'cut',
  'hold',
])

export type Spans = {
  /** Longer than a lease, so that the lease expires. */
  freeze_ms: number
  /** At most; half of it at least. */
  cut_ms: number
  /** The longest absence of a killed server: sometimes it returns at once. */
  away_ms: number
}

type Needs = Spans & { seed: string; replicas: number; rounds: number; only?: readonly Kind[] }

/** A seed always makes the same plan: in each round every kind has its turn. */
export function planFaults({ seed, replicas, rounds, only, ...spans }: Needs): Fault[] {
  const random = openRandom(`${seed} faults`)
  const names = (only ?? (Object.keys(kinds) as Kind[])).filter((kind) => kind !== 'kill_two' || replicas > 2)
  return Array.from({ length: rounds }, () => shuffle([...names], random))
    .flat()
    .map((kind) => {
      const places = shuffle(Array.from(Array(replicas).keys()), random)
      return {
        kind,
        victims: places.slice(0, countOf(kind, replicas)),
        lasts_ms: lastsMs(kind, spans, random),
      }
    })
}

function countOf(kind: Kind, replicas: number): number {
  if (kind === 'kill_all' || kind === 'rolling') return replicas
  if (kind === 'kill_two') return 2
  return kind === 'restart' || kind === 'crash' || kind === 'failover' ? 0 : 1
}

function lastsMs(kind: Kind, { freeze_ms, cut_ms, away_ms }: Spans, random: Random): number {
  switch (kind) {
    case 'freeze':
      return freeze_ms
    case 'cut':
    case 'hold':
    case 'mute':
      return random.between([cut_ms / 2, cut_ms])
    case 'kill':
    case 'kill_two':
    case 'kill_all':
      return random.chance(0.3) ? 0 : random.between([0, away_ms])
    case 'restart':
    case 'crash':
      return random.between([0, away_ms / 4])
    case 'failover':
      // An operator or program needs this long to notice and promote.
      return random.between([500, Math.max(500, away_ms / 4)])
    case 'deaf':
    case 'rolling':
      return 0
  }
}
