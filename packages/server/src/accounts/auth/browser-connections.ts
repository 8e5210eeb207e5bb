import type { Logger } from 'pino'
import type { Clock } from '#server/core/clock.ts'
import type { Scope } from '#server/core/context.ts'
import { type Loop, startLoop } from '#server/core/loop.ts'
import type { Database } from '#server/database/open.ts'
import { quotaOf } from '#server/accounts/quotas/enforcing.ts'
import { authenticate, liveSessions } from './auth.ts'

type Needs = { db: Database; clock: Clock; log: Logger; broker: BrowserLinks }

/** The functions of the broker that sessions need. */
type BrowserLinks = {
  browsers(): Iterable<{ session_id: number; scope: Scope }>
  disconnectBrowsers(session_id: number): void
}

/** A browser's connection ends at most 5 s after its session does. */
const LOOK_MS = 2_000

/** Disconnects browsers if their session has ended or expired, its user is gone, or its user has a pending duty. */
export function startSessionGuard({ db, clock, log, broker }: Needs): Loop {
  return startLoop({
    name: 'sessions',
    every_ms: LOOK_MS,
    log,
    async work() {
      const ids = [...new Set([...broker.browsers()].map(({ session_id }) => session_id))]
      const alive = await liveSessions({ db, clock }, ids)
      for (const id of ids) if (!alive.has(id)) broker.disconnectBrowsers(id)
    },
  })
}

/** The session that a browser's token opens; `undefined` if there is none, or if its user has a pending duty. */
export async function admitBrowser(needs: Pick<Needs, 'db' | 'clock'>, token: string) {
  const caller = await authenticate(needs, token)
  if (caller === undefined || caller.duty !== undefined) return undefined
  const { session_id, user_id, company_id, scope } = caller
  const most_of_company = await quotaOf(needs.db.read, company_id, 'live_connections')
  return { session_id, user_id, company_id, scope, most_of_company }
}
