import type { CampaignPreview, RowExample } from '@sdd/contract/people/campaign-checks.ts'
import type { RowFault } from '@sdd/contract/people/campaign-rows.ts'
import { lettersBeyondGsm } from '@sdd/sms/segments.ts'
import type { Numbers } from '#server/accounts/settings/numbers.ts'
import type { Scope } from '#server/core/context.ts'
import { CLASS_PRIORITY } from '#server/messages/messages/classes.ts'
import { draftById } from './campaigns.ts'
import { groupOf, valuesOf } from './checking.ts'
import { basisOf, estimate } from './estimate.ts'
import { UPLOADING } from './figures.ts'
import { fleetOf } from './fleet.store.ts'
import { type Judged, type JudgeNeeds, judgeRows } from './judging.ts'
import { campaignStore, countStore } from './store.ts'

type Needs = JudgeNeeds & { numbers: Pick<Numbers, 'rules'> }

const EXAMPLES = 20
const LETTERS = 10

/** What a draft would send if it were started now. `unknown_campaign`, `wrong_state`. */
export async function previewCampaign(needs: Needs, scope: Scope, id: number): Promise<CampaignPreview> {
  const { db, clock, numbers } = needs
  const campaign = await draftById(needs, scope, id)
  const found: Found = {
    groups: { sendable: 0, invalid: 0, repeated: 0, opted_out: 0, without_consent: 0, over_recipient_cap: 0 },
    parts: 0,
    by_encoding: { gsm7: 0, ucs2: 0 },
    by_parts: new Map(),
    letters: new Set(),
    faults: new Map(),
    examples: [],
    longest: undefined,
    first_in_parts: undefined,
  }
  for await (const rows of judgeRows(needs, campaign)) for (const row of rows) count(found, row)
  const { groups, parts, by_encoding, examples, longest, first_in_parts } = found
  const { company_id, not_before } = campaign
  const work = {
    messages: groups.sendable,
    parts,
    number: examples[0]?.number ?? '',
    priority: CLASS_PRIORITY[campaign.class],
    not_before,
    last_at: (await campaignStore(db.read, scope).lastAt(id)) ?? null,
  }
  const fleet = await fleetOf(db.read, clock, campaign)
  return {
    rows: Object.values(groups).reduce((total, rows) => total + rows, 0),
    ...groups,
    parts,
    by_encoding,
    by_parts: [...found.by_parts].map(([parts, rows]) => ({ parts, rows })).sort((a, b) => a.parts - b.parts),
    ucs2_letters: [...found.letters],
    faults: [...found.faults.values()].sort((a, b) => b.rows - a.rows),
    examples,
    longest: longest?.example ?? null,
    first_in_parts: first_in_parts ?? null,
    uploading: (await countStore(db.read).one(id, UPLOADING)) ?? null,
    basis: basisOf(work, fleet),
    ...estimate(work, fleet, numbers.rules(company_id), clock),
  }
}

type Found = Pick<CampaignPreview, 'parts' | 'by_encoding' | 'examples'> & {
  groups: Record<ReturnType<typeof groupOf>, number>
  /** Rows by segments. */
  by_parts: Map<number, number>
  letters: Set<string>
  faults: Map<string, CampaignPreview['faults'][number]>
  longest: { length: number; example: RowExample } | undefined
  first_in_parts: RowExample | undefined
}

function count(found: Found, judged: Judged): void {
  const { rendered, fault } = judged
  const group = groupOf(judged)
  found.groups[group]++
  if (fault) countFault(found.faults, fault)
  if (group !== 'sendable' || rendered.fault) return
  const { text, parts, encoding } = rendered
  found.parts += parts
  found.by_encoding[encoding]++
  found.by_parts.set(parts, (found.by_parts.get(parts) ?? 0) + 1)
  if (encoding === 'ucs2' && found.letters.size < LETTERS)
    for (const letter of lettersBeyondGsm(text)) if (found.letters.size < LETTERS) found.letters.add(letter)
  const isExample = found.examples.length < EXAMPLES
  const isLongest = found.longest === undefined || text.length > found.longest.length
  const isFirst = parts > 1 && found.first_in_parts === undefined
  if (!isExample && !isLongest && !isFirst) return
  const { line: row, number, name } = judged
  const example = { row, number, name, text, parts, encoding, values: valuesOf(judged) }
  if (isExample) found.examples.push(example)
  if (isLongest) found.longest = { length: text.length, example }
  if (isFirst) found.first_in_parts = example
}

function countFault(faults: Found['faults'], { code, params }: RowFault): void {
  const field = code === 'missing_field' ? String(params['field']) : null
  const key = `${code} ${field}`
  const before = faults.get(key)
  faults.set(key, { code, field, rows: (before?.rows ?? 0) + 1 })
}
