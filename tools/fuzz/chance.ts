export type Chance = {
  /** A random integer from 0 to below `n`. */
  below(n: number): number
  of<T>(list: readonly T[]): T
}

/** Random numbers that repeat with the same seed (mulberry32). */
export function openChance(seed: number): Chance {
  let state = seed >>> 0

  function below(n: number): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * n)
  }

  return { below, of: (list) => list[below(list.length)]! }
}
