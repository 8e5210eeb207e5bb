import type { Span } from './options.ts'

export type Chance = {
  /** 0 <= x < 1. */
  next: () => number
  /** A whole number in the span, both ends included. */
  within: (span: Span) => number
}

/** A seeded random generator (mulberry32 over FNV-1a). Not for secrets. */
export function openChance(seed: string): Chance {
  let state = 0x811c9dc5
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193)

  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  return { next, within: ([least, most]) => least + Math.floor(next() * (most - least + 1)) }
}
