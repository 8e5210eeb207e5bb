import type { RouteMatch, RouteRule } from '@sdd/contract/fleet/routes.ts'
import { matchFields, type MatchField } from '@sdd/contract/fleet/routes.ts'
import type { MessageClass } from '@sdd/contract/core/fields.ts'
import { useQuery } from '@tanstack/react-query'
import { holds } from '@sdd/contract/core/roles.ts'
import { apiKeysQuery } from '#console/accounts/api-keys/calls.ts'
import { useRole } from '#console/core/use-role.ts'
import { campaignNamesQuery, type Named } from './calls.ts'
import { valuesOf } from './hiding.ts'
import { routes as words } from './text.ts'

export type Names = { keys: readonly Named[]; campaigns: readonly Named[] }

const NONE: readonly Named[] = []

/** The API keys and campaigns that rules of the company may name. Only admins see keys. */
export function useNames(company_id: number | undefined): Names {
  const sees = holds(useRole(), 'keys:manage')
  const keys = useQuery({ ...apiKeysQuery, enabled: sees }).data ?? NONE
  const campaigns = useQuery(campaignNamesQuery).data ?? NONE
  const isOwn = (one: Named) => company_id === undefined || one.company_id === company_id
  return { keys: keys.filter(isOwn), campaigns: campaigns.filter(isOwn) }
}

/** The parts of a match, each with the name of its field and its values in words. */
export function partsOf(
  match: RouteMatch,
  names: Names,
): { field: MatchField; label: string; values: string }[] {
  return matchFields
    .filter((field) => match[field] !== undefined)
    .map((field) => ({
      field,
      label: words.fields[field],
      values: valuesOf(match, field)
        .map((value) => nameOf(field, value, names))
        .join(', '),
    }))
}

function nameOf(field: MatchField, value: string, { keys, campaigns }: Names): string {
  if (field === 'country') return words.country(value)
  if (field === 'class') return words.classes[value as MessageClass]
  if (field === 'api_key_id') return keys.find(({ id }) => String(id) === value)?.name ?? value
  if (field === 'campaign') return campaigns.find(({ id }) => String(id) === value)?.name ?? value
  return value
}

/** The name of the group by which messages leave. */
export function groupName(via: string | null): string {
  return via ?? words.all
}

/** What a rule does if no device of its group can send. */
export type Otherwise =
  | { kind: 'refused' | 'anyone' | 'never' | 'refusing' }
  | { kind: 'other'; group: string; after_secs: number }

export function otherwiseOf({ via, fallback, fallback_after_secs }: RouteRule): Otherwise {
  if (via === null) return { kind: fallback === 'refuse' ? 'refused' : 'anyone' }
  if (fallback === 'wait') return { kind: 'never' }
  if (fallback === 'refuse') return { kind: 'refusing' }
  return { kind: 'other', group: fallback === 'any' ? words.all : fallback, after_secs: fallback_after_secs }
}
