import type { CampaignPreview, SkipReason } from '@sdd/contract/people/campaigns.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import type { Scope } from '#server/core/context.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { known, wrongState } from './campaigns.ts'
import { estimate } from './estimate.ts'
import { fleetOf } from './fleet.store.ts'
import { type JudgeNeeds, judgeRows } from './judging.ts'
import { campaignStore } from './store.ts'

type Needs = JudgeNeeds & { numbers: Pick<Numbers, 'rules'> }

const EXAMPLES = 20

const GROUPS = {
  invalid: 'invalid',
  repeated: 'repeated',
  opted_out: 'opted_out',
  no_consent: 'without_consent',
  recipient_limit: 'over_recipient_cap',
} as const satisfies Record<SkipReason, keyof CampaignPreview>

/** What a draft would send if it were started now. `unknown_campaign`, `wrong_state`. */
export async function previewCampaign(needs: Needs, scope: Scope, id: number): Promise<CampaignPreview> {
  const { db, clock, numbers } = needs
  const campaign = known(await campaignStore(db.read, scope).byId(id), id)
  if (campaign.state !== 'draft') throw wrongState(campaign)
  const preview: CampaignPreview = {
    rows: 0,
    sendable: 0,
    parts: 0,
    by_encoding: { gsm7: 0, ucs2: 0 },
    repeated: 0,
    invalid: 0,
    opted_out: 0,
    without_consent: 0,
    over_recipient_cap: 0,
    examples: [],
    finishes_at: null,
    limited_by: null,
  }
  for await (const rows of judgeRows(needs, campaign)) {
    for (const { line: row, number, name, rendered, reason } of rows) {
      preview.rows++
      if (reason !== undefined || rendered.fault) {
        preview[GROUPS[reason ?? 'invalid']]++
        continue
      }
      const { text, parts, encoding } = rendered
      preview.sendable++
      preview.parts += parts
      preview.by_encoding[encoding]++
      if (preview.examples.length < EXAMPLES)
        preview.examples.push({ row, number, name, text, parts, encoding })
    }
  }
  const { company_id, not_before } = campaign
  const work = {
    messages: preview.sendable,
    parts: preview.parts,
    number: preview.examples[0]?.number ?? '',
    priority: CLASS_PRIORITY[campaign.class],
    not_before,
    last_at: (await campaignStore(db.read, scope).lastAt(id)) ?? null,
  }
  const fleet = await fleetOf(db.read, clock, campaign)
  return { ...preview, ...estimate(work, fleet, numbers.rules(company_id), clock) }
}
