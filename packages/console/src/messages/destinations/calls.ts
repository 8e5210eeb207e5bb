import {
  type Destinations,
  type DestinationsChange,
  MAX_PREFIXES,
  readDestinations,
  saveDestinations,
} from '@sdd/contract/messages/destinations.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'
import { destinations as words } from './text.ts'

/** The allowed and denied prefixes of a company; the user's own company if `company` is undefined. */
export function destinationsQuery(company: string | undefined) {
  return queryOptions({
    queryKey: ['settings', 'destinations', company],
    queryFn: ({ signal }) => callApi(readDestinations, { query: { company }, signal }),
  })
}

export function saveCompanyDestinations(
  change: DestinationsChange,
  company: string | undefined,
): Promise<Destinations> {
  return callApi(saveDestinations, { query: { company }, body: change })
}

/** Parses a typed list of prefixes: drops duplicates, blanks, dots, dashes and brackets. */
export function parsePrefixes(typed: string): string[] {
  const prefixes = typed.split(/[,;\n]/).map((prefix) => prefix.replace(/[\s.()[\]-]/g, ''))
  return [...new Set(prefixes)].filter((prefix) => prefix !== '')
}

/** The error in a list of prefixes; `undefined` if it is valid. */
export function prefixFault(prefixes: readonly string[]): string | undefined {
  const bad = prefixes.find((prefix) => !/^\+?\d{1,15}$/.test(prefix))
  if (bad !== undefined) return words.prefixesWrong(bad.slice(0, 30))
  return prefixes.length > MAX_PREFIXES ? words.tooMany(MAX_PREFIXES) : undefined
}
