import type { Database } from '#server/database/open.ts'
import { type DiscardNeeds, discardRest } from './discarding.ts'
import { rowStore } from './rows.store.ts'
import { type CampaignRecord, campaignStore, countStore } from './store.ts'

/** Rows of one transaction. Other writes get a turn between two. */
const AT_ONCE = 2_000

/**
 * Discards the waiting messages of a removed campaign, since only its rows name them. Then removes the rows in steps, and
 * the campaign. After a crash the next call goes on.
 */
export async function removeRows(
  needs: DiscardNeeds & { db: Pick<Database, 'read' | 'write'> },
  campaign: Pick<CampaignRecord, 'id' | 'company_id' | 'rows'>,
  by?: string,
): Promise<void> {
  const { db } = needs
  const { id, rows } = campaign
  while (await discardRest(needs, campaign, by));
  for (let line = 1; line <= rows; line += AT_ONCE)
    await db.write((tx) => rowStore(tx, id).removeFrom(line, line + AT_ONCE - 1))
  await db.write(async (tx) => {
    // Those of members of lists, if a start broke off after it had added them.
    await rowStore(tx, id).removeFrom(rows + 1, Number.MAX_SAFE_INTEGER)
    await countStore(tx).clear(id)
    await campaignStore(tx, 'all').remove(id)
  })
}
