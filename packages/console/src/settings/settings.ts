import { holds, type Permission, type Role } from '@sdd/contract/roles.ts'
import {
  listDeviceSettings,
  readGlobalSettings,
  saveDeviceLimit,
  saveGlobalSettings,
  type DeviceSettings as FullDeviceSettings,
  type GlobalSettings as FullGlobalSettings,
  GlobalSettingsChange,
} from '@sdd/contract/settings.ts'
import { queryOptions } from '@tanstack/react-query'
import { ApiFault, call, rowsOf, textOf } from '#console/core/api.ts'
import { settings as words } from '#console/core/text/settings.ts'

type Optional<T, Name extends keyof T> = Omit<T, Name> & Partial<Pick<T, Name>>

/** The fields of the user specification; what else the contract knows, a server may leave out. */
export type GlobalSettings = Optional<
  FullGlobalSettings,
  'company_id' | 'held' | 'retention_days' | 'stop_words' | 'new_devices_enabled' | 'require_second_factor'
>
export type DeviceSettings = Optional<FullDeviceSettings, 'company_id'>

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

export const deviceSettingsQuery = queryOptions({
  queryKey: ['settings', 'devices'],
  queryFn: ({ signal }) =>
    call(listDeviceSettings, { signal }, (body) =>
      rowsOf<DeviceSettings>(body, 'devices').filter(({ uid }) => typeof uid === 'string'),
    ),
})

/** Saves, and gives the record as the server now has it; `company` where it is not one's own. */
export function saveGlobal(
  change: GlobalSettingsChange,
  company: number | undefined,
): Promise<Partial<GlobalSettings>> {
  const query = { company: company === undefined ? undefined : String(company) }
  return call(saveGlobalSettings, { query, body: change }, (body) => recordsIn(saved(body))[0] ?? {})
}

/** Saves a device's daily limit, and gives it as the server now has it. */
export function saveLimit(uid: string, max_sms_dayly: number): Promise<number> {
  return call(saveDeviceLimit, { body: { uid, max_sms_dayly } }, (body) => {
    const { max_sms_dayly: limit } = (saved(body) ?? {}) as { max_sms_dayly?: unknown }
    return typeof limit === 'number' ? limit : max_sms_dayly
  })
}

/** The body, unless it is a `detail`: the user specification has that stand for an error, whatever the status. */
function saved(body: unknown): unknown {
  if (textOf(body, 'detail') !== undefined) throw new ApiFault(200, '', body)
  return body
}

/** The server's own words for why it did not save, or that it did not. */
export function saveFault(fault: unknown): string {
  return (fault instanceof ApiFault ? textOf(fault.body, 'detail') : undefined) ?? words.saveFailed
}

/** A whole number between two bounds as it was typed; `undefined` where it is none. */
export function wholeNumber(typed: string, least: number, most: number): number | undefined {
  const value = Number(typed)
  return typed.trim() !== '' && Number.isInteger(value) && value >= least && value <= most ? value : undefined
}

/** The words of a list as it was typed, with commas between them; each once. */
export function wordsIn(typed: string): string[] {
  const words = typed.split(/[,;\n]/).map((word) => word.trim())
  return [...new Set(words)].filter((word) => word !== '')
}

export function areStopWords(words: readonly string[]): boolean {
  return GlobalSettingsChange.shape.stop_words.safeParse(words).success
}

function readRecords(body: unknown): GlobalSettings[] {
  const records = recordsIn(body)
  if (records.length === 0) throw new ApiFault(200, 'no settings')
  return records
}

/** A list of records or one alone, bare or wrapped as `settings` or `data`. */
function recordsIn(body: unknown): GlobalSettings[] {
  const wrapped = (body ?? {}) as { settings?: unknown; data?: unknown }
  const inner = wrapped.settings ?? wrapped.data ?? body
  const list: unknown[] = Array.isArray(inner) ? inner : [inner]
  return list.filter(
    (one): one is GlobalSettings => typeof one === 'object' && one !== null && 'spoof_time_secs' in one,
  )
}
