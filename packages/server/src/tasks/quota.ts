import type { Tx } from '#server/database/schema.ts'
import { roomFor } from '#server/accounts/quotas/room.ts'

/** How many more tasks of a company may wait. */
export type TaskQuota = {
  /** How many of this many more may. */
  take(tx: Tx, company_id: number, wanted: number, now: string): Promise<number>
  /** A quota was changed. */
  forget(): void
}

/** What is known of a company holds so long; other servers fill the same room meanwhile. */
const KNOWN_MS = 1_000
/** Where less is left, it is counted each time. Others take fewer while it is not. */
const NEAR = 10_000

/** Tasks are handed in thousands of times a second: those that wait are counted once a second, until few more may. */
export function openTaskQuota(): TaskQuota {
  const known = new Map<number, { left: number; until_ms: number }>()

  return {
    async take(tx, company_id, wanted, now) {
      const found = known.get(company_id)
      if (found && performance.now() < found.until_ms && found.left >= wanted + NEAR) {
        found.left -= wanted
        return wanted
      }
      const left = await roomFor(tx, company_id, 'waiting_tasks', now)
      known.set(company_id, { left: left - wanted, until_ms: performance.now() + KNOWN_MS })
      return Math.max(0, Math.min(wanted, left))
    },
    forget: () => known.clear(),
  }
}
