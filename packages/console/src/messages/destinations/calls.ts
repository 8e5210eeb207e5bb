import {
  type Destinations,
  type DestinationsChange,
  MAX_PREFIXES,
  readDestinations,
  saveDestinations,
} from '@sdd/contract/messages/destinations.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/core/api.ts'
import { destinations as words } from './text.ts'

/** Where a company's messages may go; `company` where it is not one's own. */
export function destinationsQuery(company: string | undefined) {
  return queryOptions({
    queryKey: ['settings', 'destinations', company],
    queryFn: ({ signal }) => call(readDestinations, { query: { company }, signal }),
  })
}

export function save(change: DestinationsChange, company: string | undefined): Promise<Destinations> {
  return call(saveDestinations, { query: { company }, body: change })
}

/** The prefixes of a list as it was typed, each once and without blanks, dots, dashes and brackets. */
export function prefixesIn(typed: string): string[] {
  const prefixes = typed.split(/[,;\n]/).map((prefix) => prefix.replace(/[\s.()[\]-]/g, ''))
  return [...new Set(prefixes)].filter((prefix) => prefix !== '')
}

/** What is wrong with a list of prefixes; `undefined` where it is good. */
export function prefixFault(prefixes: readonly string[]): string | undefined {
  const bad = prefixes.find((prefix) => !/^\+?\d{1,15}$/.test(prefix))
  if (bad !== undefined) return words.prefixesWrong(bad.slice(0, 30))
  return prefixes.length > MAX_PREFIXES ? words.tooMany(MAX_PREFIXES) : undefined
}
