import type { FieldCode, FieldFault } from '@sdd/contract/core/error-params.ts'
import type { FieldError } from '@sdd/contract/core/errors.ts'

/** The fault of a field: `why` is an English sentence without its subject; `code` and `params` say the same. */
export type Fault = FieldFault & { why: string }

/** The fault of each field, by its path: `tasks.3`. */
export type Faults = Record<string, Fault>

type ParamsOf<Code extends FieldCode> = Extract<FieldFault, { code: Code }>['params']

/** A fault of one field. */
export function fault<Code extends FieldCode>(why: string, code: Code, params: ParamsOf<Code>): Fault {
  return { why, code, params } as Fault
}

/** The `fields` and `field_codes` of an error. */
export function fieldErrorsOf(faults: Faults): {
  fields: Record<string, string>
  field_codes: Record<string, FieldError>
} {
  const pairs = Object.entries(faults)
  return {
    fields: Object.fromEntries(pairs.map(([name, { why }]) => [name, why])),
    field_codes: Object.fromEntries(pairs.map(([name, { code, params }]) => [name, { code, params }])),
  }
}
