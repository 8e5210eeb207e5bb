import { devicesStatus, frontChange } from '@sdd/contract/core/live.ts'
import type { ListenerRules } from '@sdd/mqtt/endpoint/rules.ts'
import type { Scope } from './context.ts'

/** A browser that may subscribe, and how many browsers its company may have connected at once. */
export type KnownBrowser = {
  readonly session_id: number
  readonly user_id: number
  readonly company_id: number
  readonly scope: Scope
  readonly most_of_company: number
}

/** Limits on browser connections, of which each tab has one. They keep one user from using up all of them. */
export const BROWSER_LIMITS = {
  per_session: 32,
  /** A user may have any number of sessions. */
  per_user: 64,
}

/** Browsers may only subscribe at the MQTT endpoint, to notices of changes. */
export const browserRules: ListenerRules<KnownBrowser> = {
  called: { kind: 'browser', field: 'session_id' },
  keyOf: ({ session_id }) => session_id,
  topics: new Set([devicesStatus.pattern, frontChange.pattern]),
  hasRoom(browser, open) {
    const count = (field: 'session_id' | 'user_id' | 'company_id') =>
      open.filter((other) => other[field] === browser[field]).length
    return (
      count('session_id') < BROWSER_LIMITS.per_session &&
      count('user_id') < BROWSER_LIMITS.per_user &&
      count('company_id') < browser.most_of_company
    )
  },
}
