import * as z from 'zod/mini'

/** From the least to the most powerful. */
export const roles = ['user', 'admin', 'superadmin'] as const

export const Role = z.enum(roles)
export type Role = z.infer<typeof Role>

/** The roles that have each permission. `anyone` needs no session; `signed-in` is the default of a route. */
export const permissions = {
  anyone: [],
  'signed-in': ['user', 'admin', 'superadmin'],
  'messages:send': ['user', 'admin', 'superadmin'],
  'users:manage': ['admin', 'superadmin'],
  'devices:manage': ['admin', 'superadmin'],
  'routes:write': ['admin', 'superadmin'],
  'settings:write': ['admin', 'superadmin'],
  'quotas:read': ['admin', 'superadmin'],
  'quotas:write': ['superadmin'],
  'keys:manage': ['admin', 'superadmin'],
  'opt-outs:manage': ['admin', 'superadmin'],
  'contacts:export': ['admin', 'superadmin'],
  'keywords:manage': ['admin', 'superadmin'],
  'templates:manage': ['admin', 'superadmin'],
  'campaigns:manage': ['admin', 'superadmin'],
  'alerts:manage': ['admin', 'superadmin'],
  'audit:read': ['admin', 'superadmin'],
  'tasks:read': ['user', 'admin', 'superadmin'],
  'tasks:write': ['user', 'admin', 'superadmin'],
  'inbox:read': ['user', 'admin', 'superadmin'],
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof permissions

/** The permissions that an API key can have too. */
export const keyPermissions = [
  'tasks:write',
  'tasks:read',
  'inbox:read',
] as const satisfies readonly Permission[]

/** Whether a signed-in user of this role has the permission. */
export function holds(role: Role, permission: Permission): boolean {
  return permission === 'anyone' || (permissions[permission] as readonly Role[]).includes(role)
}
