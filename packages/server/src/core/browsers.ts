import { devicesStatus, frontChange } from '@sdd/contract/core/live.ts'
import type { ListenerRules } from '@sdd/mqtt/endpoint/rules.ts'
import type { Scope } from './context.ts'

/** A browser that may listen, and how many its company may have open at once. */
export type KnownBrowser = {
  readonly session_id: number
  readonly user_id: number
  readonly company_id: number
  readonly scope: Scope
  readonly most_of_company: number
}

/** Connections of browsers, each tab one: nobody may take the place of all others. */
export const BROWSER_LIMITS = {
  per_session: 32,
  /** A user may have any number of sessions. */
  per_user: 64,
}

/** What browsers may do at the MQTT endpoint: listen to what changes. */
export const browserRules: ListenerRules<KnownBrowser> = {
  called: { kind: 'browser', field: 'session_id' },
  keyOf: ({ session_id }) => session_id,
  topics: new Set([devicesStatus.pattern, frontChange.pattern]),
  hasRoom(who, open) {
    const count = (whose: 'session_id' | 'user_id' | 'company_id') =>
      open.filter((other) => other[whose] === who[whose]).length
    return (
      count('session_id') < BROWSER_LIMITS.per_session &&
      count('user_id') < BROWSER_LIMITS.per_user &&
      count('company_id') < who.most_of_company
    )
  },
}
