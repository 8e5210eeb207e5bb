import { networkOf, networksOf } from '#server/core/address.ts'
import { Refusal } from '#server/core/refusal.ts'
import { openPacing } from './pacing.ts'

/** Who waits for a password to be hashed or checked. */
export type Asker = {
  /** The user, or the name that was typed. */
  user: string
  /** The IP address. */
  address: string
  /** What the try counts for while it is under way: see `noteTry`. */
  counts_for?: readonly string[]
}

/** Lets a few passwords be computed at once, for each user and each address one after the other. */
export type Hashing = {
  /**
   * Runs `work`, which computes hashes, when it is its turn, and settles as that does. `busy` where too many wait: those
   * of one user or one address first, then those of the network that has most.
   */
  inTurn<T>(asker: Asker, work: () => Promise<T>): Promise<T>
  /** Whether a try is under way that counts for this and may yet succeed. */
  isTried(subject: string): boolean
  /** Resolves when one more refusal may be answered. */
  pace(): Promise<void>
}

/**
 * libuv has four threads at least (docs/decisions/0043), which commits, files and names are looked up with as well: two
 * hashes leave them some. A core computes about forty a second, so whoever is let in waits less than a second.
 */
export const HASHING = { at_once: 2, waiting: 32, waiting_each: 8 }

/** Networks that are remembered by when they last had a turn. */
const REMEMBERED = 1_000
const RETRY_SECS = 1

type Job = Required<Pick<Asker, 'counts_for'>> & {
  readonly keys: readonly string[]
  /** The networks that the address lies in, the widest first. */
  readonly networks: readonly string[]
  readonly begin: () => void
  readonly refuse: () => void
}

/**
 * Turns go around among networks, the widest first: a flood from one address, or from thousands of one provider, costs
 * everybody else one turn of it. Where no place is left, the network that takes most of them loses its latest.
 */
export function openHashing(limits: Readonly<typeof HASHING> = HASHING): Hashing {
  /** In the order in which they came. */
  const waiting: Job[] = []
  const under_way = new Set<Job>()
  const turns = new Map<string, number>()
  let turn = 0

  function beginSome(): void {
    while (under_way.size < limits.at_once) {
      const job = nextJob()
      if (!job) return
      waiting.splice(waiting.indexOf(job), 1)
      under_way.add(job)
      noteTurn(job)
      job.begin()
    }
  }

  /** Of those whose user and address have nothing under way, one of the network that had no turn for longest. */
  function nextJob(): Job | undefined {
    const taken = new Set([...under_way].flatMap(({ keys }) => keys))
    const ready = waiting.filter(({ keys }) => !keys.some((key) => taken.has(key)))
    return greatest(ready, ({ networks }) => networks.map((network) => -(turns.get(network) ?? 0)))
  }

  function noteTurn({ networks }: Job): void {
    turn++
    for (const network of networks) {
      turns.delete(network)
      turns.set(network, turn)
    }
    for (const network of turns.keys()) {
      if (turns.size <= REMEMBERED) return
      turns.delete(network)
    }
  }

  function refuseOne(job: Job): void {
    waiting.splice(waiting.indexOf(job), 1)
    job.refuse()
  }

  function refuseSurplus(newest: Job): void {
    if (!waiting.includes(newest)) return
    const ofKey = (key: string) => waiting.filter(({ keys }) => keys.includes(key)).length
    if (newest.keys.some((key) => ofKey(key) > limits.waiting_each)) return refuseOne(newest)
    if (waiting.length <= limits.waiting) return
    const inNetwork = (network: string) => waiting.filter(({ networks }) => networks.includes(network)).length
    refuseOne(greatest(waiting.toReversed(), ({ networks }) => networks.map(inNetwork))!)
  }

  return {
    inTurn<T>({ user, address, counts_for = [] }: Asker, work: () => Promise<T>) {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const job: Job = {
        keys: [`user ${user}`, `address ${networkOf(address)}`],
        networks: networksOf(address),
        counts_for,
        begin() {
          const ended = () => {
            under_way.delete(job)
            beginSome()
          }
          work().finally(ended).then(resolve, reject)
        },
        refuse: () => reject(busy()),
      }
      waiting.push(job)
      beginSome()
      refuseSurplus(job)
      return promise
    },
    pace: openPacing(),
    isTried: (subject) => [...under_way].some(({ counts_for }) => counts_for.includes(subject)),
  }
}

/** The first of those whose list of figures is greatest, compared from the left. */
function greatest<T>(all: readonly T[], figuresOf: (one: T) => readonly number[]): T | undefined {
  let best: { one: T; figures: readonly number[] } | undefined
  for (const one of all) {
    const figures = figuresOf(one)
    if (best === undefined || isGreater(figures, best.figures)) best = { one, figures }
  }
  return best?.one
}

function isGreater(figures: readonly number[], others: readonly number[]): boolean {
  const at = figures.findIndex((figure, place) => figure !== others[place])
  return at >= 0 && figures[at]! > others[at]!
}

function busy(): Refusal {
  return new Refusal('busy', 'Too many passwords are being checked at the moment. Try again in a second.', {
    retry_after_secs: RETRY_SECS,
  })
}
