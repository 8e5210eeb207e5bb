import type { KeyPermission } from '@sdd/contract/accounts/api-keys.ts'
import type { MessageClass } from '@sdd/contract/core/fields.ts'
import type { Role } from '@sdd/contract/core/roles.ts'
import type { Duty } from '@sdd/contract/core/route.ts'

/** The rows that may be read and written: those of one company, or of all companies (superadmin). */
export type Scope = { readonly company_id: number } | 'all'

/** A signed-in user, and the session that proves it. */
export type SignedIn = {
  readonly user_id: number
  readonly name: string
  readonly role: Role
  readonly company_id: number
  readonly session_id: number
  /** When the user last confirmed their identity in this session, as ISO 8601; null: never. */
  readonly proved_at: string | null
  readonly scope: Scope
  /** A duty that the user must fulfil first. Until then, only routes whose `openBefore` lists the duty are allowed. */
  readonly duty: Duty | undefined
}

/** Another system with an API key, limited to the key's company and permissions. */
export type KeyHolder = {
  readonly api_key_id: number
  readonly name: string
  readonly may: readonly KeyPermission[]
  /** The classes of messages that it may send. */
  readonly classes: readonly MessageClass[]
  readonly company_id: number
  readonly scope: Scope
}

/**
 * The client's IP address, with an IPv4-mapped IPv6 address as plain IPv4. Behind a known proxy, the address of the
 * proxy's client.
 */
type From = { readonly address: string }

/** The caller: a signed-in user … */
export type Caller = SignedIn & From
/** … or another system with its API key. */
export type KeyCaller = KeyHolder & From

/** The parameters of a statement that is limited to a scope; `undefined` means every company. */
export type InScope = { readonly company_id: number | undefined }

export function within(scope: Scope): InScope {
  return { company_id: scope === 'all' ? undefined : scope.company_id }
}

/** Whether a row of this company lies inside the scope. */
export function isInScope(scope: Scope, company_id: number): boolean {
  return scope === 'all' || scope.company_id === company_id
}

/** The type of a function's first parameter. For a union of functions: the intersection of their first parameters. */
export type NeedsOf<Asking> = (
  Asking extends (needs: infer Needs, ...rest: never[]) => unknown ? (needs: Needs) => void : never
) extends (needs: infer All) => void
  ? All
  : never
