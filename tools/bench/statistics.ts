/** The middle value; for an even count the mean of the two in the middle. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return sorted.length % 2 === 1
    ? sorted[Math.floor(middle)]!
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2
}

/** The smallest value that at least the share `rank` (0 to 1) of values does not exceed (nearest rank). */
export function quantile(values: readonly number[], rank: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(sorted.length * rank) - 1)] ?? NaN
}

/** The shown summary of several rounds. */
export type Spread = { median: number; min: number; max: number; rounds: number[] }

export function spreadOf(rounds: readonly number[]): Spread {
  return { median: median(rounds), min: Math.min(...rounds), max: Math.max(...rounds), rounds: [...rounds] }
}

/** The growth from one value to the next, by a straight line through all of them. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let [above, below] = [0, 0]
  for (const [place, value] of values.entries()) {
    above += (place - middle) * (value - mean)
    below += (place - middle) ** 2
  }
  return below === 0 ? 0 : above / below
}

/** For people: three significant digits, with commas between thousands. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en', { maximumFractionDigits: Math.min(digits, 3) })
}
