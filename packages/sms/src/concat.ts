import type { Concat } from './udh.ts'

/** One part of a long SMS, as received. */
export type Part = {
  from: string
  /** The SIM that received it, if there are several. References of different SIMs are unrelated. */
  sim?: string
  text: string
  /** ISO 8601: the SMSC's time, or the time of arrival if the SMSC sent none. */
  at: string
  concat: Concat
}

/** Parts that belong together: a complete or an incomplete message. */
type Assembly<P extends Part> = {
  /** Ordered by number, without duplicates. */
  parts: P[]
  /** The numbers of the missing parts. */
  missing: number[]
  /** The whole text; null if a part is missing. */
  text: string | null
}

/** References are reused: a part this much later than another belongs to another message. */
export const SAME_MESSAGE_MS = 24 * 60 * 60 * 1000

/** The most incomplete messages per reference. Above it, the oldest gets no new parts. */
const MOST_OPEN = 8

type Open<P> = { of: number; at_ms: number; byNumber: Map<number, P> }

/**
 * Joins parts, given in order of arrival, from any number of senders. Parts of one message share the sender, the SIM,
 * the reference, its width and the number of parts. The SMSC may differ. A repeated part (same text and time, as
 * networks repeat) is dropped. If a different part has the same number, the reference was reused and a new message
 * starts. If several messages lack a part, it goes to the nearest in time. Messages are ordered by the arrival of their
 * first part.
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

/** The key that the parts of one message share. References are reused, so it identifies the message only for a time. */
export function referenceOf({ from, sim, concat: { ref, refBits, of } }: Part): string {
  return JSON.stringify([from, sim ?? null, refBits, ref, of])
}

function nearest<P extends Part>(waiting: readonly Open<P>[], part: P): Open<P> | undefined {
  const at_ms = Date.parse(part.at)
  // An unreadable time is near to every time.
  const distance = (open: Open<P>) => Math.abs(open.at_ms - at_ms) || 0
  return waiting
    .filter((open) => !open.byNumber.has(part.concat.n) && distance(open) <= SAME_MESSAGE_MS)
    .sort((a, b) => distance(a) - distance(b))[0]
}

function joined<P extends Part>({ of, byNumber }: Open<P>): Assembly<P> {
  const numbers = Array.from({ length: of }, (_, i) => i + 1)
  const parts = numbers.flatMap((n) => byNumber.get(n) ?? [])
  const missing = numbers.filter((n) => !byNumber.has(n))
  // Phones may cut a surrogate pair, which is only complete in the joined text.
  const text = missing.length
    ? null
    : parts
        .map((part) => part.text)
        .join('')
        .toWellFormed()
  return { parts, missing, text }
}
