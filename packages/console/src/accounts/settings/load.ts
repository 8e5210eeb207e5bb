import { readGlobalSettings } from '@sdd/contract/accounts/settings.ts'
import { callApi } from '#console/core/api.ts'

/** In a chunk of its own, as the contract of the settings lists all countries. Resolves to the unparsed reply. */
export function loadSettings(signal: AbortSignal): Promise<unknown> {
  return callApi(readGlobalSettings, { signal }, (body) => body)
}
