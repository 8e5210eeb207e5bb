import { readQuotas, saveQuotas, type Quotas, type QuotasChange } from '@sdd/contract/accounts/quotas.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '#console/core/api.ts'

/** How much a company may have; `company` where it is not one's own. */
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

/** A quota as it was typed: null where nothing was, undefined where it is none. */
export function quotaIn(typed: string): number | null | undefined {
  const bare = typed.trim()
  if (bare === '') return null
  const value = Number(bare)
  return Number.isInteger(value) && value >= 0 && value <= MOST ? value : undefined
}
