import { asksOnly, type NewOrder, orderDetails } from '@sdd/contract/fleet/orders.ts'
import * as z from 'zod/mini'
import { invalidField, invalidFields, unconfirmed } from '#server/core/field-faults.ts'
import { parse } from '#server/core/http/request.ts'

/** The details below `with`, so that faults name their fields as the caller wrote them. */
const schemas = {
  ussd: z.object({ with: orderDetails.ussd }),
  logs: z.object({ with: orderDetails.logs }),
  configure: z.object({ with: orderDetails.configure }),
}

/** The `with` of an order, with its defaults; undefined if it needs none. `invalid` or `confirm_required`, by field. */
export function readDetails({
  what,
  with: asked,
  confirm,
}: Pick<NewOrder, 'what' | 'with' | 'confirm'>): Record<string, unknown> | undefined {
  const schema = what in schemas ? schemas[what as keyof typeof schemas] : undefined
  if (schema === undefined) {
    if (asked !== undefined) throw invalidField('with', `is not for ${what}`, 'unknown_field', {})
    return undefined
  }
  const { value, faults } = parse(schema, { with: asked ?? {} })
  if (faults) throw invalidFields(faults)
  const details: Record<string, unknown> = value.with
  const code = details['code']
  if (what === 'ussd' && typeof code === 'string' && !asksOnly(code) && confirm !== code)
    throw unconfirmed('confirm')
  return details
}
