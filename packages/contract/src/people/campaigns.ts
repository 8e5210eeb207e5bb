import * as z from 'zod/mini'
import {
  AnyInstant,
  CompanyQuery,
  countParam,
  Cursor,
  IdParam,
  Instant,
  listParam,
  Name,
} from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import { waitingFields } from '@sdd/contract/dispatch/waiting.ts'
import { Tag } from '@sdd/contract/fleet/tags.ts'
import { RowState } from '@sdd/contract/people/campaign-rows.ts'
import { ListName, MAX_LISTS } from '@sdd/contract/people/contacts.ts'
import { TemplateBody } from '@sdd/contract/people/templates.ts'

const campaignStates = ['draft', 'scheduled', 'running', 'paused', 'stopped', 'finished'] as const
export const CampaignState = z.enum(campaignStates)
export type CampaignState = z.infer<typeof CampaignState>

/** A campaign has no one-time codes. */
export const CampaignClass = z.enum(['transactional', 'marketing'])
export type CampaignClass = z.infer<typeof CampaignClass>

/** The groups in which rows are counted. A `replied` message counts as `delivered`. */
export const countedStates = [
  'pending',
  'queued',
  'handed',
  'sent',
  'delivered',
  'failed',
  'uncertain',
  'expired',
  'cancelled',
  'skipped',
] as const
export type CountedState = (typeof countedStates)[number]

const Counts = z.object(
  Object.fromEntries(countedStates.map((state) => [state, z.int()])) as Record<CountedState, z.ZodMiniInt>,
)
export type CampaignCounts = z.infer<typeof Counts>

/** What decides when a campaign is finished. */
export const LimitedBy = z.enum([
  'pacing',
  'daily_limit',
  'sending_hours',
  'schedule',
  'devices',
  'sending_disabled',
])
export type LimitedBy = z.infer<typeof LimitedBy>

/** One text, with fields, for many numbers. */
export const Campaign = z.object({
  id: z.int(),
  company_id: z.int(),
  name: z.string(),
  text: z.string(),
  class: CampaignClass,
  state: CampaignState,
  /** Lists of contacts: their members are rows after those uploaded, taken at the start. */
  lists: z.array(z.string()),
  /** The tag of the devices that send it; null: any device. */
  via: z.nullable(z.string()),
  not_before: z.nullable(Instant),
  /** Null: its rows never expire while they wait. */
  expires_at: z.nullable(Instant),
  created_at: Instant,
  created_by: z.nullable(z.string()),
  started_at: z.nullable(Instant),
  paused_at: z.nullable(Instant),
  paused_by: z.nullable(z.string()),
  /** When it was stopped, or every row had its outcome. */
  finished_at: z.nullable(Instant),
  rows: z.int(),
  ...waitingFields,
  limited_by: z.nullable(LimitedBy),
  /** They add up to `rows`. In a draft all are `pending`. */
  counts: Counts,
  /** Messages that left in the last full minutes, per minute; null if it is not running. */
  rate_per_min: z.nullable(z.number()),
  /** Estimated; null if it is not known. */
  finishes_at: z.nullable(Instant),
})
export type Campaign = z.infer<typeof Campaign>

/** Rows that ended badly, by reason. */
export const CampaignReason = z.object({
  state: RowState,
  reason: z.string(),
  count: z.int(),
  /** How many of them `retry` takes. */
  retryable: z.int(),
})
export type CampaignReason = z.infer<typeof CampaignReason>

/** A device that may send a campaign's messages. */
export const CampaignDevice = z.object({
  uid: z.string(),
  /** Why it sends nothing now; null if it can. */
  away: z.nullable(z.enum(['offline', 'maintenance', 'quarantined', 'daily_limit'])),
  /** When it went offline. */
  since: z.nullable(Instant),
  /** Messages in an hour, by the pacing; null while it is away. */
  per_hour: z.nullable(z.int()),
})
export type CampaignDevice = z.infer<typeof CampaignDevice>

export const CampaignDetail = z.extend(Campaign, {
  reasons: z.array(CampaignReason),
  /** `finishes_at` as it was estimated at the start; null if it was not known. */
  planned_at: z.nullable(Instant),
  /** Of a campaign that runs or begins later: the enabled devices, at most 20, those away first. */
  devices: z.array(CampaignDevice),
  devices_total: z.int(),
  /** `finishes_at` if those away could send now; null if none is away, or it is not known. */
  finishes_with_all_at: z.nullable(Instant),
})
export type CampaignDetail = z.infer<typeof CampaignDetail>

/** A draft: absent fields are empty, also where a draft is changed. */
export const NewCampaign = z.strictObject({
  name: Name,
  text: TemplateBody,
  class: CampaignClass,
  lists: z.optional(z.nullable(z.array(ListName).check(z.maxLength(MAX_LISTS)))),
  /** Only devices with this tag send it. */
  via: z.optional(z.nullable(Tag)),
  not_before: z.optional(z.nullable(AnyInstant)),
  /** In the future, and after `not_before`. */
  expires_at: z.optional(z.nullable(AnyInstant)),
})
export type NewCampaign = z.infer<typeof NewCampaign>

/** How many campaigns are in each state. */
const Totals = z.object(
  Object.fromEntries(campaignStates.map((state) => [state, z.int()])) as Record<CampaignState, z.ZodMiniInt>,
)
export type CampaignTotals = z.infer<typeof Totals>

export const CampaignSelection = z.object({
  state: z.optional(listParam(campaignStates)),
  /** Part of the name. Case and accents do not matter. */
  search: z.optional(z.string().check(z.maxLength(100))),
  limit: z._default(countParam(1, 1_000), 50),
  cursor: z.optional(Cursor),
})
export type CampaignSelection = z.infer<typeof CampaignSelection>

const byId = z.object({ id: IdParam })

export const listCampaigns = route('GET /api/campaigns', {
  summary: 'Lists the campaigns, newest first, in pages.',
  query: CampaignSelection,
  reply: z.object({
    campaigns: z.array(Campaign),
    next_cursor: z.nullable(Cursor),
    /** Of all campaigns that `search` finds, whatever their state. */
    totals: Totals,
  }),
})

export const readCampaign = route('GET /api/campaigns/:id', {
  summary: 'One campaign, with the reasons of its failures.',
  params: byId,
  reply: CampaignDetail,
  errors: ['unknown_campaign'],
})

export const createCampaign = route('POST /api/campaigns', {
  summary: 'Creates the draft of a campaign.',
  may: 'campaigns:manage',
  query: CompanyQuery,
  body: NewCampaign,
  reply: Campaign,
  status: 201,
  errors: ['unknown_company'],
})

export const changeCampaign = route('POST /api/campaigns/:id', {
  summary: 'Replaces what a draft says. Its rows stay.',
  may: 'campaigns:manage',
  params: byId,
  body: NewCampaign,
  reply: Campaign,
  errors: ['unknown_campaign', 'wrong_state'],
})

export const deleteCampaign = route('DELETE /api/campaigns/:id', {
  summary: 'Removes a draft, or a campaign that has ended. Its messages stay in the log.',
  may: 'campaigns:manage',
  params: byId,
  errors: ['unknown_campaign', 'wrong_state'],
})

export const startCampaign = route('POST /api/campaigns/:id/start', {
  summary: 'Starts a draft whose sendable rows are as many as a person confirms.',
  may: 'campaigns:manage',
  params: byId,
  body: z.strictObject({ rows: z.int().check(z.gte(0)) }),
  reply: Campaign,
  errors: [
    'unknown_campaign',
    'wrong_state',
    'rows_changed',
    'upload_incomplete',
    'nothing_to_send',
    'disk_full',
  ],
})

export const pauseCampaign = route('POST /api/campaigns/:id/pause', {
  summary: 'Pauses a campaign. Nothing more is handed over than devices already hold.',
  may: 'campaigns:manage',
  params: byId,
  reply: Campaign,
  errors: ['unknown_campaign', 'wrong_state'],
})

export const resumeCampaign = route('POST /api/campaigns/:id/resume', {
  summary: 'Resumes a paused campaign.',
  may: 'campaigns:manage',
  params: byId,
  reply: Campaign,
  errors: ['unknown_campaign', 'wrong_state'],
})

export const stopCampaign = route('POST /api/campaigns/:id/stop', {
  summary: 'Stops a campaign, and discards what no device has accepted.',
  may: 'campaigns:manage',
  params: byId,
  reply: Campaign,
  errors: ['unknown_campaign', 'wrong_state'],
})

export const retryCampaign = route('POST /api/campaigns/:id/retry', {
  summary: 'A new draft with the failed rows that trying again may help.',
  may: 'campaigns:manage',
  params: byId,
  /** Only the rows that failed for this reason. */
  query: z.object({ reason: z.optional(z.string().check(z.maxLength(64))) }),
  reply: Campaign,
  status: 201,
  errors: ['unknown_campaign', 'wrong_state', 'nothing_to_send', 'disk_full'],
})
