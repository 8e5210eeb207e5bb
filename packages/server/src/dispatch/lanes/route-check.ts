import { Refusal } from '#server/core/refusal.ts'
import type { Tx } from '#server/database/schema.ts'
import type { RouteRules } from '#server/fleet/routes/deciding.ts'
import { usableTags } from '#server/fleet/routes/company-routes.ts'
import { type Routable, ruleFor } from './routed.ts'

/**
 * Refuses messages whose route says `refuse` and leaves them no device: it has no tag, or no linked and enabled device
 * has it.
 */
export async function openRouteCheck(
  tx: Tx,
  company_id: number,
  routes: RouteRules,
): Promise<(message: Routable) => Refusal | undefined> {
  const refusing = routes.rules.filter(({ enabled, fallback }) => enabled && fallback === 'refuse')
  if (refusing.length === 0) return () => undefined
  const usable = await usableTags(tx, company_id, [...new Set(refusing.flatMap(({ via }) => via ?? []))])
  return (message) => {
    const rule = ruleFor(routes, message)
    if (rule?.fallback !== 'refuse' || (rule.via !== null && usable.has(rule.via))) return undefined
    const why =
      rule.via === null ? 'its route refuses it' : `no enabled device has the tag ${rule.via} of its route`
    const params = { route: rule.id, tag: rule.via }
    return new Refusal('no_route', `The message to ${message.message_to} cannot leave: ${why}.`, { params })
  }
}
