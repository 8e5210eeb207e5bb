import type { FieldCode, FieldFault } from '@sdd/contract/core/error-params.ts'
import { type Fault, type Faults, Refusal } from './refusal.ts'

type ParamsOf<Code extends FieldCode> = Extract<FieldFault, { code: Code }>['params']

/** A fault of one field. */
export function fault<Code extends FieldCode>(why: string, code: Code, params: ParamsOf<Code>): Fault {
  return { why, code, params } as Fault
}

/** `invalid`, about one field. */
export function invalidField<Code extends FieldCode>(
  field: string,
  ...its: Parameters<typeof fault<Code>>
): Refusal {
  return invalidFields({ [field]: fault(...its) })
}

/** `invalid`, about these fields. */
export function invalidFields(fields: Faults): Refusal {
  return new Refusal('invalid', explainFaults(fields), { fields })
}

/** `confirm_required`, on this field: a code that may do more than ask is not written twice. */
export function unconfirmed(field: string): Refusal {
  const why = 'must repeat the code, as it may move money or change the plan'
  const fields = { [field]: fault(why, 'confirm_required', {}) }
  return new Refusal('confirm_required', explainFaults(fields), { fields })
}

/** A sentence for people, with the first five of the faults. */
export function explainFaults(faults: Faults): string {
  const reasons = Object.entries(faults).map(([name, { why }]) => `${name}: ${why}`)
  const shown = reasons.length > 5 ? [...reasons.slice(0, 5), 'and more'] : reasons
  return `What was sent is not valid. ${shown.join('; ')}.`
}
