import type { FieldCode } from '@sdd/contract/core/error-params.ts'
import { fault } from '#server/core/field-faults.ts'
import { Refusal } from '#server/core/refusal.ts'

/** `invalid`, about one field. */
export function invalidField<Code extends FieldCode>(
  field: string,
  ...its: Parameters<typeof fault<Code>>
): Refusal {
  const [why] = its
  return new Refusal('invalid', `What was sent is not valid. ${field} ${why}.`, {
    fields: { [field]: fault(...its) },
  })
}
