import type { Role } from '@sdd/contract/core/roles.ts'
import { useSyncExternalStore } from 'react'
import { readSession, whenRoleChanged } from '#console/core/session.ts'

/** The signed-in user's current role; the lowest role without a session. */
export function useRole(): Role {
  return useSyncExternalStore(whenRoleChanged, () => readSession()?.role ?? 'user')
}
