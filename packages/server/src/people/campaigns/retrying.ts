import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { differences } from '#server/accounts/audit/audit.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { DiskSpace } from '#server/core/disk-space.ts'
import { Refusal } from '#server/core/refusal.ts'
import { foldedName } from '#server/people/contacts/contacts.ts'
import { type CampaignNeeds, heldIn, record } from './campaigns.ts'
import { copyFailed } from './rows.store.ts'
import { campaignStore, NEW_DRAFT } from './store.ts'
import { asCampaign } from './viewing.ts'

/**
 * A new draft with the failed rows of a campaign that trying again may help; with a reason, only those that failed for
 * it. `unknown_campaign`, `wrong_state`, `nothing_to_send`, `disk_full`.
 */
export async function retryCampaign(
  needs: CampaignNeeds & { diskSpace: Pick<DiskSpace, 'refuseIfShort'> },
  caller: Caller,
  id: number,
  reason?: string,
): Promise<Campaign> {
  const { db, live, clock, diskSpace } = needs
  diskSpace.refuseIfShort()
  const draft = await db.write(async (tx) => {
    const ended = await heldIn(tx, caller.scope, id, ['stopped', 'finished'])
    const name = againName(ended.name)
    const row = {
      ...ended,
      name,
      name_key: foldedName(name),
      ...NEW_DRAFT,
      lists: '[]',
      not_before: null,
      expires_at: null,
      created_at: instant(clock.now()),
      created_by: caller.name,
    }
    const { id: _, ...columns } = row
    const store = campaignStore(tx, caller.scope)
    const made = await store.insert(columns)
    const rows = await copyFailed(tx, { from: id, to: made, reason })
    if (rows === 0) throw new Refusal('nothing_to_send', 'No row failed in a way that trying again may help.')
    await store.update(made, { rows })
    await record(tx, clock, caller, row, 'created', differences(undefined, { name, rows }))
    return { ...row, id: made, rows }
  })
  live.changed(draft.company_id, 'campaigns', 'audit')
  return asCampaign(needs, draft)
}

/** `Reminders (2)`, then `Reminders (3)`. */
function againName(name: string): string {
  const [, stem = name, count = '1'] = /^(.*) \((\d{1,3})\)$/.exec(name) ?? []
  const again = ` (${Number(count) + 1})`
  return `${[...stem].slice(0, 100 - again.length).join('')}${again}`
}
