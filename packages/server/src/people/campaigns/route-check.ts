import type { Refusal } from '#server/core/refusal.ts'
import type { Campaigns } from '#server/database/people-tables.ts'
import type { Tx } from '#server/database/schema.ts'
import { openRouteCheck } from '#server/dispatch/lanes/route-check.ts'
import type { RouteRules } from '#server/fleet/routes/deciding.ts'
import { campaignGuid } from '#server/messages/messages/campaign-guid.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'

/** A message of a campaign, as routes see it. */
export function routableRow(
  { id, class: named, via }: Pick<Campaigns, 'class' | 'via'> & { id: number },
  { line, number }: { line: number; number: string },
) {
  const guid = campaignGuid(id, line)
  const priority = CLASS_PRIORITY[named]
  return { guid, message_to: number, priority, task: 3, via, api_key_id: null, from_number: null } as const
}

/** Refuses the numbers of a campaign that the routes refuse. */
export async function refusedNumbers(
  tx: Tx,
  campaign: Pick<Campaigns, 'company_id' | 'class' | 'via'> & { id: number },
  routes: RouteRules | undefined,
): Promise<((number: string) => Refusal | undefined) | undefined> {
  if (routes === undefined) return undefined
  const refuse = await openRouteCheck(tx, campaign.company_id, routes)
  return (number) => refuse(routableRow(campaign, { line: 0, number }))
}
