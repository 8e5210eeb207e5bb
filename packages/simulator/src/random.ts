/** Minimum and maximum, both included. */
export type Range = readonly [least: number, most: number]

export type Random = {
  /** 0 <= x < 1. */
  next: () => number
  /** True with this probability. */
  chance: (probability: number) => boolean
  /** A whole number. */
  between: (range: Range) => number
  /** A random time until the next event of a memoryless process with this mean. */
  interval: (mean: number) => number
  pick: <T>(list: readonly [T, ...T[]]) => T
  digits: (count: number) => string
}

/** The same seed gives the same numbers (mulberry32). Not for secrets. */
export function openRandom(seed: string): Random {
  let state = fingerprint(seed)

  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  return {
    next,
    // Always draws a number, so that changing one probability does not change the other random events.
    chance: (probability) => next() < probability,
    between: ([least, most]) => least + Math.floor(next() * (most - least + 1)),
    interval: (mean) => -Math.log(1 - next()) * mean,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[0],
    digits: (count) => Array.from({ length: count }, () => Math.floor(next() * 10)).join(''),
  }
}

/** Shuffles the list in place (Fisher–Yates). */
export function shuffle<T>(list: T[], random: Random): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random.between([0, i])
    ;[list[i], list[j]] = [list[j]!, list[i]!]
  }
  return list
}

/** A 32-bit hash of a text (FNV-1a), for comparing and seeding. Not secure against an adversary. */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
