import type { Role } from '@sdd/contract/core/roles.ts'
import { useSyncExternalStore } from 'react'
import { readSession, whenRoleChanged } from '#console/core/session.ts'

/** The signed-in user's role, as it is now; the least where nobody is signed in. */
export function useRole(): Role {
  return useSyncExternalStore(whenRoleChanged, () => readSession()?.role ?? 'user')
}
