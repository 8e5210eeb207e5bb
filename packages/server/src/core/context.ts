import type { KeyPermission } from '@sdd/contract/accounts/api-keys.ts'
import type { Role } from '@sdd/contract/core/roles.ts'
import type { Duty } from '@sdd/contract/core/route.ts'

/** Whose rows may be read and written: one company's, or everybody's (superadmin). */
export type Scope = { readonly company_id: number } | 'all'

/** A signed-in user, and the session that proves it. */
export type SignedIn = {
  readonly user_id: number
  readonly name: string
  readonly role: Role
  readonly company_id: number
  readonly session_id: number
  /** When the session last proved who holds it, as ISO 8601; null: never. */
  readonly proved_at: string | null
  readonly scope: Scope
  /** What the user has to do first: until then, only routes that are open before it. */
  readonly duty: Duty | undefined
}

/** An API key: another system, for the company of the key and what the key may do. */
export type KeyHolder = {
  readonly api_key_id: number
  readonly name: string
  readonly may: readonly KeyPermission[]
  readonly company_id: number
  readonly scope: Scope
}

/** The IP address from which a call comes: an IPv4 one as itself; through a known proxy, the one that asks the proxy. */
type From = { readonly address: string }

/** Who makes a call: a signed-in user … */
export type Caller = SignedIn & From
/** … or another system with its API key. */
export type KeyCaller = KeyHolder & From

/** The values of a statement with a condition for its scope; `undefined` means every company. */
export type InScope = { readonly company_id: number | undefined }

export function within(scope: Scope): InScope {
  return { company_id: scope === 'all' ? undefined : scope.company_id }
}

/** Whether a row of this company lies inside the scope. */
export function sees(scope: Scope, company_id: number): boolean {
  return scope === 'all' || scope.company_id === company_id
}

/** The type of a function's first parameter. For a union of functions: the intersection of theirs. */
export type NeedsOf<Asking> = (
  Asking extends (needs: infer Needs, ...rest: never[]) => unknown ? (needs: Needs) => void : never
) extends (needs: infer All) => void
  ? All
  : never
