import { holds, type Permission, type Role } from '@sdd/contract/core/roles.ts'
import { settings as words } from '#console/accounts/settings/text.ts'

/** The tabs in order, with the permission that each needs. */
const tabs = [
  { tab: 'global', name: 'global', may: 'signed-in' },
  { tab: 'devices', name: 'device', may: 'signed-in' },
  { tab: 'api-keys', name: 'apiKeys', may: 'keys:manage' },
  { tab: 'callbacks', name: 'callbacks', may: 'keys:manage' },
  { tab: 'opt-outs', name: 'optOuts', may: 'opt-outs:manage' },
  { tab: 'keywords', name: 'keywords', may: 'keywords:manage' },
  { tab: 'alerts', name: 'alerts', may: 'alerts:manage' },
  { tab: 'destinations', name: 'destinations', may: 'settings:write' },
  { tab: 'quotas', name: 'quotas', may: 'quotas:read' },
  { tab: 'audit', name: 'audit', may: 'audit:read' },
] as const satisfies { tab: string; name: keyof typeof words; may: Permission }[]

export type SettingsTab = (typeof tabs)[number]['tab']

export function tabsFor(role: Role) {
  return tabs.filter(({ may }) => holds(role, may)).map(({ tab, name }) => ({ tab, label: words[name] }))
}
