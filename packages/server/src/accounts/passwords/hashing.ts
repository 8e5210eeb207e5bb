import { networkOf, networksOf } from '#server/core/address.ts'
import { Refusal } from '#server/core/refusal.ts'
import { openPacing } from './pacing.ts'

/** The owner of a password that is to hash or check. */
type Asker = {
  /** The user, or the name that was typed. */
  user: string
  /** The IP address. */
  address: string
  /** The subjects that the try counts for while it runs: see `countTry`. */
  counts_for?: readonly string[]
}

/** Limits how many passwords are hashed at once. Those of one user or one address are hashed one after the other. */
export type Hashing = {
  /**
   * Runs `work`, which computes hashes, when its turn comes, and settles as `work` does. `busy` if the queue is full.
   * The limit of each user and address applies first; then the network with the most queued work loses its newest.
   */
  inTurn<T>(asker: Asker, work: () => Promise<T>): Promise<T>
  /** Whether a running try counts for this subject and may still succeed. */
  isTried(subject: string): boolean
  /** Resolves when the next refusal may be sent. */
  pace(): Promise<void>
}

/**
 * libuv has at least four threads (docs/decisions/0012). Commits, files and DNS lookups use them too, so two hashes
 * leave some free. A core computes about forty hashes a second, so admitted work waits less than a second.
 */
export const HASHING = { at_once: 2, waiting: 32, waiting_each: 8 }

/** The number of networks whose latest turn is remembered. */
const REMEMBERED = 1_000
const RETRY_SECS = 1

type Job = Required<Pick<Asker, 'counts_for'>> & {
  readonly keys: readonly string[]
  /** The networks that contain the address, widest first. */
  readonly networks: readonly string[]
  readonly begin: () => void
  readonly refuse: () => void
}

/**
 * Networks take turns, the widest first. A flood from one address, or from thousands of addresses of one provider,
 * delays all other networks by only one turn. If the queue is full, the network with the most entries loses its newest.
 */
export function openHashing(): Hashing {
  /** In the order of arrival. */
  const waiting: Job[] = []
  const under_way = new Set<Job>()
  const turns = new Map<string, number>()
  let turn = 0

  function beginSome(): void {
    while (under_way.size < HASHING.at_once) {
      const job = nextJob()
      if (!job) return
      waiting.splice(waiting.indexOf(job), 1)
      under_way.add(job)
      noteTurn(job)
      job.begin()
    }
  }

  /** Of the jobs whose user and address run nothing, one of the network whose latest turn is longest ago. */
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
    if (newest.keys.some((key) => ofKey(key) > HASHING.waiting_each)) return refuseOne(newest)
    if (waiting.length <= HASHING.waiting) return
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

/** The first item with the greatest list of figures, compared from the left. */
function greatest<T>(all: readonly T[], figuresOf: (one: T) => readonly number[]): T | undefined {
  let best: { one: T; figures: readonly number[] } | undefined
  for (const one of all) {
    const figures = figuresOf(one)
    if (best === undefined || isGreater(figures, best.figures)) best = { one, figures }
  }
  return best?.one
}

function isGreater(figures: readonly number[], others: readonly number[]): boolean {
  const at = figures.findIndex((figure, index) => figure !== others[index])
  return at >= 0 && figures[at]! > others[at]!
}

function busy(): Refusal {
  return new Refusal('busy', 'Too many passwords are being checked at the moment. Try again in a second.', {
    retry_after_secs: RETRY_SECS,
  })
}
