import { CallFault } from '@sdd/contract/core/client.ts'
import type { GlobalSettings as FullGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useRole } from '#console/core/use-role.ts'

export type Optional<T, Name extends keyof T> = Omit<T, Name> & Partial<Pick<T, Name>>

/** The fields of the user specification are required. A server may leave out the contract's other fields. */
export type GlobalSettings = Optional<
  FullGlobalSettings,
  | 'company_id'
  | 'default_country'
  | 'sending_hours'
  | 'held'
  | 'retention_days'
  | 'stop_words'
  | 'new_devices_enabled'
  | 'require_second_factor'
  | 'inbox_role'
>

/** The settings of each company that the user sees, their own first. The shell needs them, but not at once. */
export const globalSettingsQuery = queryOptions({
  queryKey: ['settings', 'global'],
  queryFn: async ({ signal }) => {
    const { loadSettings } = await import('./load.ts')
    return readRecords(await loadSettings(signal))
  },
})

/** Whether the company lets the user read conversations; assumed until its settings are loaded. */
export function useReadsConversations(): boolean {
  const { data: records } = useQuery(globalSettingsQuery)
  return useRole() !== 'user' || records?.[0]?.inbox_role !== 'admin'
}

function readRecords(body: unknown): GlobalSettings[] {
  const records = parseSettings(body)
  if (records.length === 0) throw new CallFault('no settings', { status: 200 })
  return records
}

/** Reads a single record or a list of them, bare or wrapped as `settings` or `data`. */
export function parseSettings(body: unknown): GlobalSettings[] {
  const wrapped = (body ?? {}) as { settings?: unknown; data?: unknown }
  const inner = wrapped.settings ?? wrapped.data ?? body
  const list: unknown[] = Array.isArray(inner) ? inner : [inner]
  return list.filter(
    (one): one is GlobalSettings => typeof one === 'object' && one !== null && 'spoof_time_secs' in one,
  )
}
