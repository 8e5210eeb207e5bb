import { readQuotas, saveQuotas, type Quotas, type QuotasChange } from '@sdd/contract/accounts/quotas.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/core/api.ts'

/** A company's quotas; the user's own company if `company` is undefined. */
export function quotasQuery(company: string | undefined) {
  return queryOptions({
    queryKey: ['settings', 'quotas', company],
    queryFn: ({ signal }) => call(readQuotas, { query: { company }, signal }),
  })
}

export function save(change: QuotasChange, company: string | undefined): Promise<Quotas> {
  return call(saveQuotas, { query: { company }, body: change })
}

const MOST = 1_000_000_000

/** Parses a typed quota: null if empty, undefined if invalid. */
export function quotaIn(typed: string): number | null | undefined {
  const bare = typed.trim()
  if (bare === '') return null
  const value = Number(bare)
  return Number.isInteger(value) && value >= 0 && value <= MOST ? value : undefined
}
