import { type Clock, HOUR_MS, instant } from '#server/core/clock.ts'
import type { Tx } from '#server/database/schema.ts'
import { capRefusal, type PrefixRules } from './rules.ts'
import { recipientCountStore } from './store.ts'

/** Counts the messages accepted today for each number, within one transaction. */
type RecipientTally = {
  /** Counts one more message to this number. False if it may have no more today. */
  accept(number: string): boolean
  /** Writes the counts. */
  write(): Promise<void>
}

/** Opens the counts of these numbers for a company with a cap. They stay locked until the commit. */
export async function countRecipients(
  tx: Tx,
  clock: Clock,
  company_id: number,
  rules: PrefixRules & { max_per_recipient_dayly: number },
  numbers: Iterable<string>,
): Promise<RecipientTally> {
  const { max_per_recipient_dayly: max, capped_at } = rules
  const store = recipientCountStore(tx, company_id)
  const now_ms = clock.now()
  const today = clock.day(now_ms)
  const begin = instant(beginOfDay(clock, now_ms))
  const asked = [...new Set(numbers)]
  // Counts of a later day are kept, as the clock was set back.
  const held = (await store.hold(asked)).filter(({ day }) => day >= today)
  const counts = new Map(held.map((row) => [row.number, row]))
  for (const number of asked) {
    if (counts.has(number)) continue
    const uncounted = capped_at !== null && capped_at >= begin
    const count = uncounted ? await store.countQueued(number, begin, max) : 0
    counts.set(number, { number, day: today, count })
  }
  const changed = new Set<string>()
  return {
    accept(number) {
      const row = counts.get(number)!
      if (row.count >= max) return false
      counts.set(number, { ...row, count: row.count + 1 })
      changed.add(number)
      return true
    },
    async write() {
      if (changed.size > 0) await store.put([...changed].sort().map((number) => counts.get(number)!))
    },
  }
}

/** Counts a message of the console. `recipient_limit` if its number may have no more today. */
export async function countRecipient(
  tx: Tx,
  clock: Clock,
  company_id: number,
  rules: PrefixRules,
  number: string,
): Promise<void> {
  if (!isCapped(rules)) return
  const counts = await countRecipients(tx, clock, company_id, rules, [number])
  if (counts.accept(number)) return counts.write()
  throw capRefusal(number, rules.max_per_recipient_dayly, clock, clock.now())
}

export function isCapped(rules: PrefixRules): rules is PrefixRules & { max_per_recipient_dayly: number } {
  return rules.max_per_recipient_dayly !== null
}

/** The start of the day of `now_ms`. A day may have 25 hours. */
function beginOfDay(clock: Clock, now_ms: number): number {
  let begin = clock.midnightAfter(now_ms - 26 * HOUR_MS)
  for (let next = clock.midnightAfter(begin); next <= now_ms; next = clock.midnightAfter(begin)) begin = next
  return begin
}
