import type { RowState } from '@sdd/contract/people/campaign-rows.ts'
import type { MessageState } from '@sdd/contract/messages/messages.ts'
import { type Clock, instant } from '#server/core/clock.ts'
import type { Change, Queue, Tx } from '#server/database/schema.ts'
import { readCampaignGuid } from '#server/messages/messages/campaign-guid.ts'
import type { MovedMessage, MoveListener } from '#server/messages/messages/moving.ts'
import { minuteOf } from './figures.ts'
import { releaseRows } from './rows.store.ts'
import { campaignStore, countStore } from './store.ts'

/**
 * Keeps the rows and the counts of campaigns in step with their messages, in the transaction that changes a message.
 * `news` collects the companies to which browsers should be told.
 */
export function openCampaignListener(clock: Clock, news: Set<number>): MoveListener {
  return async (tx, message, change) => {
    if (message.task !== 3) return
    const place = readCampaignGuid(message.guid)
    if (place === undefined) return
    const now = instant(clock.now())
    if (change.step === 'waiting') await holdIfPaused(tx, message, place.id, now)
    if (change.state === undefined) return
    const error = change.error === undefined ? message.error : change.error
    const [before, after] = [stateOf(message.state, message.error), stateOf(change.state, error)]
    if (before === after && error === message.error) return
    news.add(message.company_id)
    const counts = countStore(tx)
    const [from, to] = [countedAs(before), countedAs(after)]
    if (from !== to) {
      await counts.add(place.id, from, -1)
      await counts.add(place.id, to, 1)
    }
    if (!hasLeft(before) && hasLeft(after)) await counts.add(place.id, minuteOf(now), 1)
    await tx.update(
      'campaign_rows',
      { campaign_id: place.id, line: place.line },
      { state: after, reason: error ?? null, blocked: change.error_block ?? 0, changed_at: now },
    )
  }
}

/** After a change of the hours, the rows that wait for theirs are looked at again. */
export function lookAtHoursAgain(tx: Tx, company_id: number, now: string): Promise<void> {
  return releaseRows(tx, company_id, now)
}

/** An attempt after a failure must not begin while its campaign is paused. Feeding discards it if the campaign was stopped. */
async function holdIfPaused(tx: Tx, message: MovedMessage, id: number, now: string): Promise<void> {
  const campaign = await campaignStore(tx, 'all').hold(id)
  // A campaign that was removed has been stopped before. Its last messages expire instead of being tried again.
  const change: Change<Queue> | undefined =
    campaign === undefined
      ? { lane_until: null, expires_at: now }
      : campaign.state === 'paused' || campaign.state === 'stopped'
        ? { lane_until: null }
        : undefined
  if (change) await tx.update('queue', { id: message.id }, change)
}

/** Who may not be written to any more is skipped, as if the row had no message. */
function stateOf(state: MessageState, error: string | null): RowState {
  return state === 'failed' && (error === 'opted_out' || error === 'no_consent') ? 'skipped' : state
}

function countedAs(state: RowState): string {
  return state === 'replied' ? 'delivered' : state
}

function hasLeft(state: RowState): boolean {
  return state === 'sent' || state === 'delivered' || state === 'replied'
}
