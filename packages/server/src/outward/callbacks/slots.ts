/** Which hosts may be called now: so many at once in all, and few of them one host, so that none holds up the others. */
export type Slots = {
  /** How many more calls may go to this host now. */
  room(host: string): number
  /** How many more in all. */
  left(): number
  enter(host: string): void
  leave(host: string, well: boolean): void
}

/** A host whose last call failed is called by one at a time until one goes well. */
const FAILING = 1
/** Hosts that are remembered as failing; beyond that the longest known are forgotten. */
const REMEMBERED = 10_000

export function openSlots({ overall, per_host }: { overall: number; per_host: number }): Slots {
  const calls = new Map<string, number>()
  const failing = new Set<string>()
  let all = 0
  return {
    room(host) {
      const most = failing.has(host) ? FAILING : per_host
      return Math.max(0, Math.min(overall - all, most - (calls.get(host) ?? 0)))
    },
    left: () => Math.max(0, overall - all),
    enter(host) {
      all++
      calls.set(host, (calls.get(host) ?? 0) + 1)
    },
    leave(host, well) {
      all--
      const left = calls.get(host)! - 1
      if (left > 0) calls.set(host, left)
      else calls.delete(host)
      failing.delete(host)
      if (well) return
      failing.add(host)
      if (failing.size > REMEMBERED) failing.delete(failing.values().next().value!)
    },
  }
}
