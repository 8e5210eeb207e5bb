import { holds, type Permission, type Role } from '@sdd/contract/core/roles.ts'
import { settings as words } from '#console/accounts/settings/text.ts'

/** The tabs in order, with the permission that each needs. */
const tabs = [
  { tab: 'global', label: words.global, may: 'signed-in' },
  { tab: 'devices', label: words.device, may: 'signed-in' },
  { tab: 'api-keys', label: words.apiKeys, may: 'keys:manage' },
  { tab: 'callbacks', label: words.callbacks, may: 'keys:manage' },
  { tab: 'opt-outs', label: words.optOuts, may: 'opt-outs:manage' },
  { tab: 'destinations', label: words.destinations, may: 'settings:write' },
  { tab: 'quotas', label: words.quotas, may: 'quotas:read' },
  { tab: 'audit', label: words.audit, may: 'audit:read' },
] as const satisfies { tab: string; label: string; may: Permission }[]

export type SettingsTab = (typeof tabs)[number]['tab']

export function tabsFor(role: Role) {
  return tabs.filter(({ may }) => holds(role, may))
}
