import type { Concat } from './udh.ts'

/** One part of a long SMS, as it came in. */
export type Part = {
  from: string
  /** The SIM that it came to, where there are several: another SIM's references are other references. */
  sim?: string
  text: string
  /** ISO 8601: the SMSC's time, or the time of arrival where it sent none. */
  at: string
  concat: Concat
}

/** Parts that belong together: a whole message, or one that waits. */
export type Assembly<P extends Part> = {
  /** By their number, each once. */
  parts: P[]
  /** Numbers of the parts that are not here. */
  missing: number[]
  /** The whole text; null while a part is missing. */
  text: string | null
}

/** References come again: a part this much later than another is of another message. */
export const SAME_MESSAGE_MS = 24 * 60 * 60 * 1000

/** How many messages of one reference may wait at a time; with more, no new part finds the oldest. */
const MOST_OPEN = 8

type Open<P> = { of: number; at_ms: number; byNumber: Map<number, P> }

/**
 * Puts parts together, given in the order of arrival, as many senders' as there are. Parts of one message have the
 * sender, the SIM, the reference, its width and the count of parts in common; not the SMSC, which may differ. The same
 * part again (same text and time: networks repeat) is left out. A part whose place is taken by another opens a new
 * message, for the reference was used again; of several messages that miss it, a part goes to the nearest in time.
 * The order is that of each message's first part.
 */
export function assemble<P extends Part>(arrivals: readonly P[]): Assembly<P>[] {
  const all: Open<P>[] = []
  const byReference = new Map<string, Open<P>[]>()
  const seen = new Set<string>()
  for (const part of arrivals) {
    const reference = referenceOf(part)
    const exactly = JSON.stringify([reference, part.concat.n, part.at, part.text])
    if (seen.has(exactly)) continue
    seen.add(exactly)

    const waiting = byReference.get(reference) ?? []
    const found = nearest(waiting, part) ?? {
      of: part.concat.of,
      at_ms: Date.parse(part.at),
      byNumber: new Map<number, P>(),
    }
    found.byNumber.set(part.concat.n, part)
    const others = waiting.filter((open) => open !== found)
    const full = found.byNumber.size === found.of
    byReference.set(reference, full ? others : [...others, found].slice(-MOST_OPEN))
    if (found.byNumber.size === 1) all.push(found)
  }
  return all.map(joined)
}

/** What the parts of one message have in common, as a key; a reference comes again, so it is the message's only for a time. */
export function referenceOf({ from, sim, concat: { ref, refBits, of } }: Part): string {
  return JSON.stringify([from, sim ?? null, refBits, ref, of])
}

function nearest<P extends Part>(waiting: readonly Open<P>[], part: P): Open<P> | undefined {
  const at_ms = Date.parse(part.at)
  // A time that cannot be read is near to everything.
  const distance = (open: Open<P>) => Math.abs(open.at_ms - at_ms) || 0
  return waiting
    .filter((open) => !open.byNumber.has(part.concat.n) && distance(open) <= SAME_MESSAGE_MS)
    .sort((a, b) => distance(a) - distance(b))[0]
}

function joined<P extends Part>({ of, byNumber }: Open<P>): Assembly<P> {
  const numbers = Array.from({ length: of }, (_, i) => i + 1)
  const parts = numbers.flatMap((n) => byNumber.get(n) ?? [])
  const missing = numbers.filter((n) => !byNumber.has(n))
  // Phones cut where they like, also a surrogate pair: only the whole shows what was half.
  const text = missing.length
    ? null
    : parts
        .map((part) => part.text)
        .join('')
        .toWellFormed()
  return { parts, missing, text }
}
