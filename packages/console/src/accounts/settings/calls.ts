import { CallFault, textOf } from '@sdd/contract/core/client.ts'
import { saveGlobalSettings, GlobalSettingsChange } from '@sdd/contract/accounts/settings.ts'
import { call } from '#console/core/api.ts'
import { settings as words } from './text.ts'
import { recordsIn, type GlobalSettings } from './settings.ts'

/** Saves, and gives the record as the server now has it; `company` where it is not one's own. */
export function saveGlobal(
  change: GlobalSettingsChange,
  company: number | undefined,
): Promise<Partial<GlobalSettings>> {
  const query = { company: company === undefined ? undefined : String(company) }
  return call(saveGlobalSettings, { query, body: change }, (body) => recordsIn(saved(body))[0] ?? {})
}

/** The body, unless it is a `detail`: the user specification has that stand for an error, whatever the status. */
export function saved(body: unknown): unknown {
  if (textOf(body, 'detail') !== undefined) throw new CallFault('', { status: 200, body })
  return body
}

/** The server's own words for why it did not save, or that it did not. */
export function saveFault(fault: unknown): string {
  return (fault instanceof CallFault ? textOf(fault.body, 'detail') : undefined) ?? words.saveFailed
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
