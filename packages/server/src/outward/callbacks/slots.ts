/** Limits how many calls run at once, in all and for each host, so that no host delays the others. */
type Slots = {
  /** How many more calls may go to this host now. */
  room(host: string): number
  /** How many more calls may run in all. */
  left(): number
  enter(host: string): void
  leave(host: string, well: boolean): void
}

/** A host whose last call failed gets one call at a time until one succeeds. */
const FAILING = 1
/** The number of failing hosts to remember. Beyond that, the oldest are forgotten. */
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
