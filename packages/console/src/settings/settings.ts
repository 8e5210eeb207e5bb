import { holds, type Permission, type Role } from '@sdd/contract/roles.ts'
import { readGlobalSettings, type GlobalSettings as FullGlobalSettings } from '@sdd/contract/settings.ts'
import { queryOptions } from '@tanstack/react-query'
import { ApiFault, call } from '#console/core/api.ts'
import { settings as words } from '#console/core/text/settings.ts'

export type Optional<T, Name extends keyof T> = Omit<T, Name> & Partial<Pick<T, Name>>

/** The fields of the user specification; what else the contract knows, a server may leave out. */
export type GlobalSettings = Optional<
  FullGlobalSettings,
  'company_id' | 'held' | 'retention_days' | 'stop_words' | 'new_devices_enabled' | 'require_second_factor'
>

/** The tabs in their order, and what one must be allowed in order to see each. */
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

/** The tabs that somebody of this role sees. */
export function tabsFor(role: Role) {
  return tabs.filter(({ may }) => holds(role, may))
}

/** The settings of each company that one sees, one's own first. */
export const globalSettingsQuery = queryOptions({
  queryKey: ['settings', 'global'],
  queryFn: ({ signal }) => call(readGlobalSettings, { signal }, readRecords),
})

function readRecords(body: unknown): GlobalSettings[] {
  const records = recordsIn(body)
  if (records.length === 0) throw new ApiFault(200, 'no settings')
  return records
}

/** A list of records or one alone, bare or wrapped as `settings` or `data`. */
export function recordsIn(body: unknown): GlobalSettings[] {
  const wrapped = (body ?? {}) as { settings?: unknown; data?: unknown }
  const inner = wrapped.settings ?? wrapped.data ?? body
  const list: unknown[] = Array.isArray(inner) ? inner : [inner]
  return list.filter(
    (one): one is GlobalSettings => typeof one === 'object' && one !== null && 'spoof_time_secs' in one,
  )
}
