/** Each bucket reaches this much further than the one before it: its middle is at most 7 % off whatever lies in it. */
const RATIO = 1.15

/** The bucket of a duration in ms: 0 below a millisecond, then logarithmic. One below zero (two clocks) counts as zero. */
export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : Math.floor(Math.log(ms) / Math.log(RATIO)) + 1
}

/**
 * The duration, in ms, that the share `rank` (0 to 1) of what was counted does not exceed; `undefined` where nothing
 * was. `counts` are by bucket, in any order.
 */
export function quantile(
  counts: Iterable<readonly [bucket: number, count: number]>,
  rank: number,
): number | undefined {
  const sorted = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b)
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.max(1, Math.ceil(total * rank))
  for (const [bucket, count] of sorted) {
    left -= count
    if (left <= 0) return middleOf(bucket)
  }
  return undefined
}

function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : RATIO ** (bucket - 0.5)
}
