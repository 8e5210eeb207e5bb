import { readQuotas, saveQuotas, type Quotas, type QuotasChange } from '@sdd/contract/accounts/quotas.ts'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '#console/core/api.ts'
import { wholeNumber } from '#console/ui/typed-number.ts'

/** A company's quotas; the user's own company if `company` is undefined. */
export function quotasQuery(company: string | undefined) {
  return queryOptions({
    queryKey: ['settings', 'quotas', company],
    queryFn: ({ signal }) => callApi(readQuotas, { query: { company }, signal }),
  })
}

export function saveCompanyQuotas(change: QuotasChange, company: string | undefined): Promise<Quotas> {
  return callApi(saveQuotas, { query: { company }, body: change })
}

const MOST = 1_000_000_000

/** Parses a typed quota: null if empty, undefined if invalid. */
export function parseQuota(typed: string): number | null | undefined {
  return typed.trim() === '' ? null : wholeNumber(typed, 0, MOST)
}
