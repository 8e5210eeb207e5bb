import type { ErrorParams, FieldFault, TellingCode } from '@sdd/contract/core/error-params.ts'
import type { ApiError, ErrorCode, FieldError } from '@sdd/contract/core/errors.ts'

/** The fault of a field: `why` is an English sentence without its subject; `code` and `params` say the same. */
export type Fault = FieldFault & { why: string }

/** The fault of each field, by its path: `plan.valid_until`. */
export type Faults = Record<string, Fault>

/** The facts that the body itself has, in addition to `params`, for some codes. */
type BodyFacts = Pick<ApiError, 'companies' | 'state' | 'sendable'>

type More = { fields?: Faults; retry_after_secs?: number; facts?: BodyFacts }

/** A code whose sentence contains facts comes with those facts, as `params`. */
type RefusalArguments =
  | [code: Exclude<ErrorCode, TellingCode>, detail: string, more?: More]
  | {
      [Code in TellingCode]: [code: Code, detail: string, more: More & { params: ErrorParams<Code> }]
    }[TellingCode]

/**
 * A rule refused a request. `detail` is a sentence a person can act on; the HTTP status comes from the contract's
 * table. `retry_after_secs` becomes `Retry-After`; `fields` names the fault of each invalid field. `facts` are
 * added to the body itself.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  readonly params: Readonly<Record<string, unknown>>
  readonly fields: Record<string, string> | undefined
  readonly field_codes: Record<string, FieldError> | undefined
  readonly retry_after_secs: number | undefined
  readonly facts: BodyFacts | undefined

  constructor(...[code, detail, more = {}]: RefusalArguments) {
    super(detail)
    this.code = code
    this.params = 'params' in more ? more.params : {}
    const { fields, field_codes } = more.fields ? fieldErrorsOf(more.fields) : {}
    this.fields = fields
    this.field_codes = field_codes
    this.retry_after_secs = more.retry_after_secs
    this.facts = more.facts
  }
}

/** The code of a refusal; `undefined` for any other error. */
export function errorCodeOf(error: unknown): ErrorCode | undefined {
  return error instanceof Refusal ? error.code : undefined
}

/** For work that is refused because the caller's access changed after it was admitted. */
export function accessChanged(): Refusal {
  const params = { reason: 'access_changed' } as const
  return new Refusal('forbidden', 'Your access has changed: start again.', { params })
}

/** For `catch`: ignores a refusal of work that can wait, and rethrows any other error. */
export function unlessRefused(error: unknown): void {
  if (!(error instanceof Refusal)) throw error
}

/** The `fields` and `field_codes` of an error. */
function fieldErrorsOf(faults: Faults): {
  fields: Record<string, string>
  field_codes: Record<string, FieldError>
} {
  const pairs = Object.entries(faults)
  return {
    fields: Object.fromEntries(pairs.map(([name, { why }]) => [name, why])),
    field_codes: Object.fromEntries(pairs.map(([name, { code, params }]) => [name, { code, params }])),
  }
}
