import type { KeyPermission } from '@sdd/contract/api-keys.ts'
import type { Role } from '@sdd/contract/roles.ts'
import type { Duty } from '@sdd/contract/route.ts'

/** Whose rows may be read and written: one company's, or everybody's (superadmin). */
export type Scope = { readonly company_id: number } | 'all'

/** Who asks: a signed-in user, and the session that proves it. */
export type Caller = {
  readonly user_id: number
  readonly name: string
  readonly role: Role
  readonly company_id: number
  readonly session_id: number
  readonly scope: Scope
  /** What the user has to do first: until then, only routes that are open before it. */
  readonly duty: Duty | undefined
}

/** Who asks with an API key: another system, for the company of the key and what the key may do. */
export type KeyCaller = {
  readonly api_key_id: number
  readonly name: string
  readonly may: readonly KeyPermission[]
  readonly company_id: number
  readonly scope: Scope
}

/** Whether a row of this company lies inside the scope. */
export function sees(scope: Scope, company_id: number): boolean {
  return scope === 'all' || scope.company_id === company_id
}
