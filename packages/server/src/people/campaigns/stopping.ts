import type { Campaign } from '@sdd/contract/people/campaigns.ts'
import { lockedSettings } from '#server/accounts/settings/settings.ts'
import { instant } from '#server/core/clock.ts'
import type { Caller } from '#server/core/context.ts'
import type { Tx } from '#server/database/schema.ts'
import { holdMessages, releaseMessages } from '#server/dispatch/lanes/holding.ts'
import type { MoveNeeds } from '#server/messages/messages/moving.ts'
import { type CampaignNeeds, known, record, wrongState } from './campaigns.ts'
import { discardRest } from './discarding.ts'
import { campaignMessages } from './messages.store.ts'
import { type CampaignRecord, campaignStore, isOngoing, stateAtStart } from './store.ts'
import { asCampaign } from './viewing.ts'

type Needs = CampaignNeeds & MoveNeeds & { wake(): void; feed(): void }

/**
 * Pauses a campaign. Claims lock the settings shared, so when this is answered, none of them can give out more of its
 * messages. `unknown_campaign`, `wrong_state`.
 */
export async function pauseCampaign(needs: Needs, caller: Caller, id: number): Promise<Campaign> {
  const { db, live, clock } = needs
  const campaign = await db.write(async (tx) => {
    const held = await holdAlone(tx, caller, id)
    if (held.state === 'paused') return held
    if (held.state !== 'running' && held.state !== 'scheduled') throw wrongState(held)
    const change = { state: 'paused', paused_at: instant(clock.now()), paused_by: caller.name } as const
    await campaignStore(tx, 'all').update(id, change)
    await holdMessages(tx, held.company_id, await campaignMessages(tx, id).waiting())
    await record(tx, clock, caller, held, 'paused')
    return { ...held, ...change }
  })
  live.changed(campaign.company_id, 'campaigns', 'audit', 'logs')
  return asCampaign(needs, campaign)
}

/** Resumes a paused campaign. `unknown_campaign`, `wrong_state`. */
export async function resumeCampaign(needs: Needs, caller: Caller, id: number): Promise<Campaign> {
  const { db, live, clock, wake, feed } = needs
  const campaign = await db.write(async (tx) => {
    const held = await holdAlone(tx, caller, id)
    if (held.state === 'running' || held.state === 'scheduled') return held
    if (held.state !== 'paused') throw wrongState(held)
    const now = instant(clock.now())
    const change = { state: stateAtStart(held, now), paused_at: null, paused_by: null }
    await campaignStore(tx, 'all').update(id, change)
    await releaseMessages(tx, await campaignMessages(tx, id).waiting(), now)
    await record(tx, clock, caller, held, 'resumed')
    return { ...held, ...change }
  })
  live.changed(campaign.company_id, 'campaigns', 'audit', 'logs')
  wake()
  feed()
  return asCampaign(needs, campaign)
}

/** Holds the messages of the campaigns that a restore has paused, as a user's pause does. */
export async function holdRestored({ db }: Pick<Needs, 'db'>): Promise<void> {
  for (const { id, company_id, state, paused_by } of await campaignStore(db.read, 'all').active()) {
    if (state !== 'paused' || paused_by !== null) continue
    await db.write(async (tx) => {
      await lockedSettings(tx, 'all', company_id)
      const held = await campaignStore(tx, 'all').hold(id)
      if (held?.state === 'paused')
        await holdMessages(tx, company_id, await campaignMessages(tx, id).waiting())
    })
  }
}

/** Stops a campaign, and discards what no device has accepted. `unknown_campaign`, `wrong_state`. */
export async function stopCampaign(needs: Needs, caller: Caller, id: number): Promise<Campaign> {
  const { db, live, clock, wake } = needs
  const campaign = await db.write(async (tx) => {
    const held = await holdAlone(tx, caller, id)
    if (held.state === 'stopped') return held
    if (!isOngoing(held.state)) throw wrongState(held)
    const change = { state: 'stopped', finished_at: instant(clock.now()) } as const
    await campaignStore(tx, 'all').update(id, change)
    await holdMessages(tx, held.company_id, await campaignMessages(tx, id).waiting())
    await record(tx, clock, caller, held, 'stopped')
    return { ...held, ...change }
  })
  // If the server dies here, feeding goes on with it.
  while (await discardRest(needs, campaign, caller.name));
  live.changed(campaign.company_id, 'campaigns', 'audit', 'logs')
  wake()
  return asCampaign(needs, campaign)
}

/** The campaign, while nothing of its company can be claimed or made. */
async function holdAlone(tx: Tx, caller: Caller, id: number): Promise<CampaignRecord> {
  const { company_id } = known(await campaignStore(tx, caller.scope).byId(id), id)
  await lockedSettings(tx, caller.scope, company_id)
  return known(await campaignStore(tx, caller.scope).hold(id), id)
}
