import { CallFault, textOf } from '@sdd/contract/core/client.ts'
import { saveGlobalSettings, GlobalSettingsChange } from '@sdd/contract/accounts/settings.ts'
import { callApi } from '#console/core/api.ts'
import { faults } from '#console/core/fault-text.ts'
import { settings as words } from './text.ts'
import { parseSettings, type GlobalSettings } from './settings.ts'

/** Saves and returns the server's record. If `company` is undefined, the user's own company is meant. */
export function saveGlobal(
  change: GlobalSettingsChange,
  company: number | undefined,
): Promise<Partial<GlobalSettings>> {
  const query = { company: company === undefined ? undefined : String(company) }
  return callApi(
    saveGlobalSettings,
    { query, body: change },
    (body) => parseSettings(throwOnDetail(body))[0] ?? {},
  )
}

/**
 * Returns the body, but throws if it has a `detail`: in the user specification that is an error, whatever the status.
 */
export function throwOnDetail(body: unknown): unknown {
  if (textOf(body, 'detail') !== undefined) throw new CallFault('', { status: 200, body })
  return body
}

/** The reason for not saving, or a general sentence if the server gives none. */
export function saveFaultText(fault: unknown): string {
  return (fault instanceof CallFault ? faults.refusal(fault) : undefined) ?? words.saveFailed
}

/** The words of a typed list separated by commas, semicolons or lines, without duplicates. */
export function parseWords(typed: string): string[] {
  const words = typed.split(/[,;\n]/).map((word) => word.trim())
  return [...new Set(words)].filter((word) => word !== '')
}

export function areStopWords(words: readonly string[]): boolean {
  return GlobalSettingsChange.shape.stop_words.safeParse(words).success
}
