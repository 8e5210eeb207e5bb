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
  /** The company's free devices without `but`, at most `most`. Those that have been free for longest come first. */
  ofCompany(company_id: number, now_ms: number, most: number, but?: ReadonlySet<number>): number[]
  /** These devices are a group from now on. Its free devices are found without looking at others. */
  group(key: string, company_id: number, ids: readonly number[]): void
  ungroup(key: string): void
  /** The same for the free devices of a group. */
  ofGroup(key: string, now_ms: number, most: number, but: ReadonlySet<number>): number[]
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
type Group = { ids: ReadonlySet<number>; readonly free: Set<number> }

export function openCandidates(): Candidates {
  /** By company, in the order in which they became free. */
  const free = new Map<number, Set<number>>()
  const awaited = new Map<number, number>()
  const postponed = new Map<number, Postponed>()
  const groups = new Map<string, Group>()
  /** By device. */
  const groupsOf = new Map<number, Group[]>()
  let looked_ms = -Infinity

  function freeOf(company_id: number): Set<number> {
    return free.getOrInsertComputed(company_id, () => new Set())
  }

  function setFree(id: number, company_id: number): void {
    freeOf(company_id).add(id)
    for (const group of groupsOf.get(id) ?? []) group.free.add(id)
  }

  function setBusy(id: number, company_id: number): void {
    freeOf(company_id).delete(id)
    for (const group of groupsOf.get(id) ?? []) group.free.delete(id)
  }

  function leaveGroup(id: number, group: Group): void {
    group.free.delete(id)
    const others = groupsOf.get(id)!.filter((other) => other !== group)
    if (others.length > 0) groupsOf.set(id, others)
    else groupsOf.delete(id)
  }

  function look(now_ms: number): void {
    if (performance.now() - looked_ms < LOOK_MS) return
    looked_ms = performance.now()
    for (const [id, { company_id, from_ms }] of postponed) {
      if (from_ms > now_ms) continue
      postponed.delete(id)
      setFree(id, company_id)
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
      setFree(id, company_id)
      if (isAwaited) awaited.set(id, company_id)
    },
    take(devices) {
      for (const [id, company_id] of devices) setBusy(id, company_id)
    },
    postpone({ id, company_id }, from_ms, now_ms) {
      if (freeOf(company_id).has(id)) return
      if (from_ms <= now_ms) setFree(id, company_id)
      else if (from_ms < Infinity) postponed.set(id, { company_id, from_ms })
    },
    notAwaited: (id) => void awaited.delete(id),
    correct(device, isAwaited, from_ms, now_ms) {
      const { id, company_id } = device
      if (isAwaited) awaited.set(id, company_id)
      postponed.delete(id)
      if (from_ms > now_ms) setBusy(id, company_id)
      this.postpone(device, from_ms, now_ms)
    },
    awaited(now_ms, most) {
      look(now_ms)
      return first(awaited, most, ([id, company_id]) => freeOf(company_id).has(id))
    },
    ofCompany(company_id, now_ms, most, but) {
      look(now_ms)
      return first(freeOf(company_id), most, (id) => but === undefined || !but.has(id))
    },
    group(key, company_id, ids) {
      const group = groups.getOrInsertComputed(key, () => ({ ids: new Set(), free: new Set() }))
      const next = new Set(ids)
      for (const id of group.ids) if (!next.has(id)) leaveGroup(id, group)
      for (const id of next) {
        if (group.ids.has(id)) continue
        groupsOf.getOrInsertComputed(id, () => []).push(group)
        if (freeOf(company_id).has(id)) group.free.add(id)
      }
      group.ids = next
    },
    ungroup(key) {
      const group = groups.get(key)
      if (group === undefined) return
      for (const id of group.ids) leaveGroup(id, group)
      groups.delete(key)
    },
    ofGroup(key, now_ms, most, but) {
      look(now_ms)
      return first(groups.get(key)?.free ?? [], most, (id) => !but.has(id))
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
