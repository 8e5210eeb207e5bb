import type { Live } from '#server/core/live.ts'
import { instant } from '#server/core/clock.ts'
import type { Database } from '#server/database/open.ts'
import { askToDrop, endMessage } from '#server/dispatch/expiry/expiry.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { failures, notes } from '#server/messages/outcomes/outcomes.ts'
import { endPending } from './ending.ts'
import { campaignMessages } from './messages.store.ts'
import { type CampaignRecord, campaignStore } from './store.ts'

export type DiscardNeeds = MoveNeeds & { db: Pick<Database, 'write'>; live: Pick<Live, 'changed'> }

/** Messages of one transaction. */
const BATCH = 100

/** Whether a message of a campaign still waits, or is with a device that was not asked to drop it. */
export async function hasRest(
  { db }: { db: Pick<Database, 'read'> },
  { id }: Pick<CampaignRecord, 'id'>,
): Promise<boolean> {
  const { unfinished } = campaignMessages(db.read, id)
  for (const place of ['queue', 'in_flight'] as const)
    if ((await unfinished(place, 1)).length > 0) return true
  return false
}

/**
 * Takes one step of discarding what no device of a stopped campaign has accepted, also if it was removed since. True if
 * there is probably more.
 */
export async function discardRest(
  { db, live, ...moving }: DiscardNeeds,
  { id, company_id }: Pick<CampaignRecord, 'id' | 'company_id'>,
  by = '',
): Promise<boolean> {
  const { changed, more } = await db.write(async (tx) => {
    const now = instant(moving.clock.now())
    const campaign = await campaignStore(tx, 'all').holdEnding(id)
    if (campaign === undefined) return { changed: 0, more: false }
    const who = by || campaign.name
    // The rows of a removed campaign are about to go.
    const { ended, more } =
      campaign.state === 'stopped' ? await endPending(tx, id, 'cancelled', now) : { ended: 0, more: false }
    const messages = campaignMessages(tx, id)
    const waiting = await messages.unfinished('queue', BATCH)
    const error_msg = failures.discarded.write({ by: who })
    for (const row of waiting)
      await endMessage(tx, moving, row, { state: 'cancelled', error: 'cancelled', error_msg })
    const given = await messages.unfinished('in_flight', BATCH)
    for (const row of given) {
      const facts = { attempt: row.attempt, by: who, device: row.device_guid ?? '' }
      await askToDrop(tx, row, now, notes.discarding.write(facts))
    }
    return {
      changed: ended + waiting.length + given.length,
      more: more || waiting.length === BATCH || given.length === BATCH,
    }
  })
  if (changed > 0) live.changed(company_id, 'campaigns', 'logs')
  return more
}
