import type { ErrorCode } from '@sdd/contract/core/errors.ts'

/**
 * A rule refused a request. `detail` is a sentence a person can act on; the HTTP status comes from the contract's
 * table. `retry_after_secs` becomes `Retry-After`; `fields` names the fault of each invalid field. `companies` lists
 * the companies that have the guid of the request.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  readonly fields: Record<string, string> | undefined
  readonly retry_after_secs: number | undefined
  readonly companies: readonly number[] | undefined

  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      fields?: Record<string, string>
      retry_after_secs?: number
      companies?: readonly number[]
    } = {},
  ) {
    super(detail)
    this.code = code
    this.fields = more.fields
    this.retry_after_secs = more.retry_after_secs
    this.companies = more.companies
  }
}

/** The code of a refusal; `undefined` for any other error. */
export function errorCodeOf(error: unknown): ErrorCode | undefined {
  return error instanceof Refusal ? error.code : undefined
}

/** For `catch`: ignores a refusal of work that can wait, and rethrows any other error. */
export function unlessRefused(error: unknown): void {
  if (!(error instanceof Refusal)) throw error
}
