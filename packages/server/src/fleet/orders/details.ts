import { asksOnly, type NewOrder, orderDetails } from '@sdd/contract/fleet/orders.ts'
import { fault, invalidField, invalidFields } from '#server/core/field-faults.ts'
import type { Faults } from '#server/core/refusal.ts'

/** The `with` of an order, with its defaults; undefined if it needs none. `invalid`, by field. */
export function readDetails({
  what,
  with: asked,
  confirm,
}: Pick<NewOrder, 'what' | 'with' | 'confirm'>): Record<string, unknown> | undefined {
  const schema = what in orderDetails ? orderDetails[what as keyof typeof orderDetails] : undefined
  if (schema === undefined) {
    if (asked !== undefined) throw invalidField('with', `is not for ${what}`, 'unknown_field', {})
    return undefined
  }
  const parsed = schema.safeParse(asked ?? {})
  if (!parsed.success) {
    const faults: Faults = {}
    for (const { path, message, code } of parsed.error.issues) {
      const unknown = code === 'unrecognized_keys'
      const field = ['with', ...path].map(String).join('.')
      faults[field] ??= fault(
        unknown ? 'has an unknown field' : message,
        unknown ? 'unknown_field' : 'bad_format',
        {},
      )
    }
    throw invalidFields(faults)
  }
  const details: Record<string, unknown> = parsed.data
  const code = details['code']
  if (what === 'ussd' && typeof code === 'string' && !asksOnly(code) && confirm !== code) {
    const why = 'must repeat the code, as it may move money or change the plan'
    throw invalidField('confirm', why, 'confirm_required', {})
  }
  return details
}
