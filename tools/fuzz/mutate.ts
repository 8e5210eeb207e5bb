import type { Chance } from './chance.ts'

/** The most bytes of an input. Worse than linear time shows long before. */
const MOST_BYTES = 64 * 1024
/** Most inputs are small, because more of them fit into the same time. */
const USUAL_BYTES = 2 * 1024
const EDGES = [0x00, 0x01, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x5c, 0x7f, 0x80, 0xc0, 0xef, 0xfe, 0xff]

/** A new input from one or two successful ones, and from words that mean something to the target. */
export function mutate(chance: Chance, corpus: readonly Buffer[], words: readonly Buffer[]): Buffer {
  let input: Buffer = Buffer.from(corpus.length > 0 ? chance.of(corpus) : [])
  for (let times = 1 + chance.below(6); times > 0; times--) input = mutateOnce(chance, input, corpus, words)
  return input.subarray(0, chance.below(50) === 0 ? MOST_BYTES : USUAL_BYTES)
}

function mutateOnce(
  chance: Chance,
  input: Buffer,
  corpus: readonly Buffer[],
  words: readonly Buffer[],
): Buffer {
  const at = chance.below(input.length + 1)
  const length = 1 + chance.below(Math.min(32, Math.max(1, input.length - at)))
  const replace = (bytes: Uint8Array, removed: number) =>
    Buffer.concat([input.subarray(0, at), bytes, input.subarray(at + removed)])
  switch (chance.below(9)) {
    case 0: {
      const flipped = Buffer.from(input)
      if (at < flipped.length) flipped[at] = flipped[at]! ^ (1 << chance.below(8))
      return flipped
    }
    case 1:
      return replace(Buffer.from([chance.of(EDGES)]), chance.below(2))
    case 2:
      return replace(Buffer.from([chance.below(256)]), chance.below(2))
    case 3:
      return replace(Buffer.alloc(0), length)
    case 4:
      return replace(words.length > 0 ? chance.of(words) : Buffer.from([chance.below(256)]), 0)
    case 5:
      return replace(words.length > 0 ? chance.of(words) : Buffer.alloc(length), length)
    case 6: {
      const other = corpus.length > 0 ? chance.of(corpus) : input
      const from = chance.below(other.length + 1)
      return replace(other.subarray(from, from + 1 + chance.below(64)), chance.below(2) * length)
    }
    case 7:
      return replace(repeated(input.subarray(at, at + length), chance), 0)
    default:
      return nudged(input, at, chance)
  }
}

/** Repeats a part once, or often enough to show time that grows faster than the input. */
function repeated(bytes: Buffer, chance: Chance): Buffer {
  if (bytes.length === 0) return bytes
  const times = chance.below(40) === 0 ? Math.ceil(MOST_BYTES / bytes.length) : 1 + chance.below(8)
  return Buffer.alloc(bytes.length * times, bytes)
}

/** Raises or lowers a byte a little, which changes digits and lengths to neighbouring ones. */
function nudged(input: Buffer, at: number, chance: Chance): Buffer {
  const changed = Buffer.from(input)
  if (at < changed.length) changed[at] = (changed[at]! + chance.below(17) - 8) & 0xff
  return changed
}
