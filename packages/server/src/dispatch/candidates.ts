/**
 * Which devices at this server may probably be given something, kept in memory so that a round needs no index on what
 * every message changes. It may be wrong: a claim reads the rows of the candidates, and only they decide. A device that
 * is missing here is found by the next refill.
 */
export type Candidates = {
  /** The device may have become free, or something may wait for it. */
  add(device: { id: number; company_id: number }, awaited?: boolean): void
  /** A claim looks at these devices: they are not free until it is over, unless they are added meanwhile. */
  take(devices: Iterable<readonly [id: number, company_id: number]>): void
  /** The device can be given something from then on; unless it was added meanwhile, nothing before. */
  postpone(device: { id: number; company_id: number }, from_ms: number, now_ms: number): void
  /** Nothing waits for this device in particular. */
  notAwaited(id: number): void
  /** Corrects a device by its rows, as they were a moment ago. */
  correct(device: { id: number; company_id: number }, awaited: boolean, from_ms: number, now_ms: number): void
  /** Free devices for which messages of their own wait, at most `most`. */
  awaited(now_ms: number, most: number): [id: number, company_id: number][]
  /** The company's free devices, or those of them that are `wanted`, at most `most`. Those that have been free for longest come first. */
  ofCompany(company_id: number, now_ms: number, most: number, wanted?: ReadonlySet<number>): number[]
  /** Those of these devices that are free. */
  among(company_id: number, ids: readonly number[], now_ms: number): number[]
  /** Whether any device of the company is free. */
  has(company_id: number, now_ms: number): boolean
}

/** Gives messages soon, after these devices became free, or (`awaited`) something began to wait for them. */
export type GiveTo = (devices: readonly { id: number; company_id: number }[], awaited?: boolean) => void

/** Postponed devices are looked through at most this often. */
const LOOK_MS = 10

type Postponed = { company_id: number; from_ms: number }

export function openCandidates(): Candidates {
  /** By company, in the order in which they became free. */
  const free = new Map<number, Set<number>>()
  const awaited = new Map<number, number>()
  const postponed = new Map<number, Postponed>()
  let looked_ms = -Infinity

  function freeOf(company_id: number): Set<number> {
    return free.getOrInsertComputed(company_id, () => new Set())
  }

  function look(now_ms: number): void {
    if (performance.now() - looked_ms < LOOK_MS) return
    looked_ms = performance.now()
    for (const [id, { company_id, from_ms }] of postponed) {
      if (from_ms > now_ms) continue
      postponed.delete(id)
      freeOf(company_id).add(id)
    }
  }

  function first<Item>(items: Iterable<Item>, most: number, isWanted: (item: Item) => boolean): Item[] {
    const found: Item[] = []
    for (const item of items) {
      if (found.length >= most) break
      if (isWanted(item)) found.push(item)
    }
    return found
  }

  return {
    add({ id, company_id }, isAwaited = false) {
      postponed.delete(id)
      freeOf(company_id).add(id)
      if (isAwaited) awaited.set(id, company_id)
    },
    take(devices) {
      for (const [id, company_id] of devices) freeOf(company_id).delete(id)
    },
    postpone({ id, company_id }, from_ms, now_ms) {
      if (freeOf(company_id).has(id)) return
      if (from_ms <= now_ms) freeOf(company_id).add(id)
      else if (from_ms < Infinity) postponed.set(id, { company_id, from_ms })
    },
    notAwaited: (id) => void awaited.delete(id),
    correct(device, isAwaited, from_ms, now_ms) {
      const { id, company_id } = device
      if (isAwaited) awaited.set(id, company_id)
      postponed.delete(id)
      if (from_ms > now_ms) freeOf(company_id).delete(id)
      this.postpone(device, from_ms, now_ms)
    },
    awaited(now_ms, most) {
      look(now_ms)
      return first(awaited, most, ([id, company_id]) => freeOf(company_id).has(id))
    },
    ofCompany(company_id, now_ms, most, wanted) {
      look(now_ms)
      return first(freeOf(company_id), most, (id) => wanted === undefined || wanted.has(id))
    },
    among(company_id, ids, now_ms) {
      look(now_ms)
      return ids.filter((id) => freeOf(company_id).has(id))
    },
    has(company_id, now_ms) {
      look(now_ms)
      return freeOf(company_id).size > 0
    },
  }
}
