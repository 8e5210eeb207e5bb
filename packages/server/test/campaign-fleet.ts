import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { addOptOut } from '@sdd/contract/messages/opt-outs.ts'
import { type Campaign, type CampaignCounts } from '@sdd/contract/people/campaigns.ts'
import { saveContact } from '@sdd/contract/people/contacts.ts'
import { campaignCalls } from './campaigns.ts'
import { eventually } from './device.ts'
import { startFleet } from './fleet.ts'
import { call } from './server.ts'

export const numberOf = (row: number) => `+3460${String(2_000_000 + row)}`
export const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ number: numberOf(at + 1) }))

/** A company with campaigns, at 10:00 in Madrid on a Wednesday. */
export async function openCampaignFleet(t: TestContext) {
  const fleet = await startFleet(t)
  const { server, token } = fleet
  const campaigns = campaignCalls(server, token)
  return {
    ...fleet,
    ...campaigns,
    block: (number: string) => call(server, addOptOut, { token, body: { number } }),
    contact: (number: string, body: Record<string, unknown>) =>
      call(server, saveContact, { token, params: { number }, body }),
    /** The campaign once its counts are these; those that are left out are 0. */
    counted: (id: number, expected: Partial<CampaignCounts>) =>
      eventually(async () => {
        const campaign = await campaigns.read(id)
        assert.equal(sumOf(campaign), campaign.rows)
        return Object.entries(campaign.counts).every(
          ([state, count]) => count === (expected[state as keyof CampaignCounts] ?? 0),
        )
          ? campaign
          : undefined
      }),
  }
}

export function sumOf({ counts }: Campaign): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

export const guidOf = (id: number, row: number) => `campaign:${id}:${row}`
