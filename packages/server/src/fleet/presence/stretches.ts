import type { PresenceState, PresenceStretch } from '@sdd/contract/insight/device-detail.ts'

type Known = {
  /** Changes, oldest first. The first may be before `from`. */
  changes: readonly { at: string; status: PresenceState }[]
  /** Times without a running server, oldest first. */
  gaps: readonly { began_at: string; ended_at: string }[]
}

/**
 * The presence of a device from one time to another: oldest first, without holes or overlaps. Equal neighbours are
 * joined. It is unknown before the first change, and during gaps.
 */
export function stretchesOf({ changes, gaps }: Known, from: string, to: string): PresenceStretch[] {
  const inside = (at: string) => at > from && at < to
  const times = [...changes.map(({ at }) => at), ...gaps.flatMap((gap) => [gap.began_at, gap.ended_at])]
  const edges = [...new Set([from, ...times.filter(inside)])].sort()
  const stretches: PresenceStretch[] = []
  let [change, gap] = [-1, 0]
  for (const [n, edge] of edges.entries()) {
    while (change + 1 < changes.length && changes[change + 1]!.at <= edge) change++
    while (gap < gaps.length && gaps[gap]!.ended_at <= edge) gap++
    const isInGap = gap < gaps.length && gaps[gap]!.began_at <= edge
    const state = isInGap ? 'unknown' : (changes[change]?.status ?? 'unknown')
    const until = edges[n + 1] ?? to
    const last = stretches.at(-1)
    if (last?.state === state) last.to = until
    else if (edge < until) stretches.push({ from: edge, to: until, state })
  }
  return stretches
}
