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
import { CsvFile, route } from '@sdd/contract/core/route.ts'
import { waitingFields } from '@sdd/contract/dispatch/waiting.ts'
import { Tag } from '@sdd/contract/fleet/tags.ts'
import { messageStates } from '@sdd/contract/messages/messages.ts'
import { errorMsgFields } from '@sdd/contract/messages/outcomes.ts'
import { ListName, MAX_FIELDS, MAX_IMPORTED, MAX_LISTS, ROWS_BYTES } from '@sdd/contract/people/contacts.ts'
import { FIELD_NAME } from '@sdd/contract/people/template-text.ts'
import { TemplateBody } from '@sdd/contract/people/templates.ts'

export const MAX_CAMPAIGN_ROWS = 200_000

const campaignStates = ['draft', 'scheduled', 'running', 'paused', 'stopped', 'finished'] as const
export const CampaignState = z.enum(campaignStates)
export type CampaignState = z.infer<typeof CampaignState>

/** A campaign has no one-time codes. */
export const CampaignClass = z.enum(['transactional', 'marketing'])
export type CampaignClass = z.infer<typeof CampaignClass>

/** `pending` until its message is made, then as the message; `skipped` rows never get one. */
export const rowStates = ['pending', 'skipped', ...messageStates] as const
export const RowState = z.enum(rowStates)
export type RowState = z.infer<typeof RowState>

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

/** Why a row is not sent. */
export const SkipReason = z.enum(['invalid', 'repeated', 'opted_out', 'no_consent', 'recipient_limit'])
export type SkipReason = z.infer<typeof SkipReason>

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

const FIELD = 'must be a letter or _, then letters, digits and _, 40 at most, and not number'

const RowFieldName = z.string().check(
  z.normalize('NFC'),
  z.regex(FIELD_NAME, FIELD),
  z.refine((name) => name !== 'number', FIELD),
)

/** Those of a contact, and its name. */
const RowFields = z
  .record(RowFieldName, z.string().check(z.maxLength(200)))
  .check(
    z.refine((fields) => Object.keys(fields).length <= MAX_FIELDS + 1, `has more than ${MAX_FIELDS} fields`),
  )

/** A row as it is uploaded. The field `name` is the name of the person. */
export const NewCampaignRow = z.strictObject({
  number: z.string(),
  fields: z.optional(z.nullable(RowFields)),
  /** Not before this time. */
  at: z.optional(z.nullable(z.string())),
})
export type NewCampaignRow = z.infer<typeof NewCampaignRow>

/** Why a row cannot be sent as it is. */
export const RowFaultCode = z.enum([
  'invalid_number',
  'missing_field',
  'too_long',
  'invalid_at',
  'invalid',
  'destination_refused',
])
export type RowFaultCode = z.infer<typeof RowFaultCode>

export const RowFault = z.object({
  code: RowFaultCode,
  detail: z.string(),
  /** `{field}` of `missing_field`, `{segments, max}` of `too_long`, `{prefix}` of `destination_refused`. */
  params: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
})
export type RowFault = z.infer<typeof RowFault>

export const CampaignRow = z.object({
  /** Counted from 1. */
  row: z.int(),
  /** As it was uploaded, if it is no possible number. */
  number: z.string(),
  name: z.nullable(z.string()),
  /** Rendered; null if that is impossible. */
  text: z.nullable(z.string()),
  state: RowState,
  /** A `SkipReason`, or the error code of the message. */
  reason: z.nullable(z.string()),
  /** Of its message; null before it has one. */
  guid: z.nullable(z.string()),
  device_uid: z.nullable(z.string()),
  /** When its state changed last; of a pending one, the time it is scheduled for. */
  at: z.nullable(Instant),
  ...errorMsgFields,
  /** Of an invalid row. */
  fault: z.nullable(RowFault),
  reply: z.nullable(z.string()),
})
export type CampaignRow = z.infer<typeof CampaignRow>

export const Encodings = z.object({ gsm7: z.int(), ucs2: z.int() })

/** A row of a draft that can be sent. */
export const RowExample = z.object({
  row: z.int(),
  number: z.string(),
  name: z.nullable(z.string()),
  text: z.string(),
  parts: z.int(),
  encoding: z.enum(['gsm7', 'ucs2']),
  /** The fields that a text may use: those of the row, then those of its contact. */
  values: z.record(z.string(), z.string()),
})
export type RowExample = z.infer<typeof RowExample>

/** From which the time of the end is worked out. */
export const EstimateBasis = z.object({
  /** The devices that could send now. */
  devices: z.int(),
  /** Enabled devices that are not connected, or in quarantine. They are not considered. */
  away: z.int(),
  /** Messages that these devices send in an hour within their limits. */
  per_hour: z.number(),
  /** SMS segments that they may still send today. */
  room_today: z.int(),
})
export type EstimateBasis = z.infer<typeof EstimateBasis>

export const CampaignPreview = z.object({
  /** The sum of `sendable` and the five groups `repeated` to `over_recipient_cap`. */
  rows: z.int(),
  sendable: z.int(),
  /** SMS segments of the sendable rows. */
  parts: z.int(),
  /** Sendable rows. */
  by_encoding: Encodings,
  repeated: z.int(),
  invalid: z.int(),
  opted_out: z.int(),
  without_consent: z.int(),
  over_recipient_cap: z.int(),
  /** Sendable rows by their number of segments, the fewest first. */
  by_parts: z.array(z.object({ parts: z.int(), rows: z.int() })),
  /** Letters that GSM-7 lacks, up to 10, in sendable rows. */
  ucs2_letters: z.array(z.string()),
  /** Invalid rows by reason, the most frequent first. `field` is that of `missing_field`. */
  faults: z.array(z.object({ code: RowFaultCode, field: z.nullable(z.string()), rows: z.int() })),
  /** The first 20 sendable rows. */
  examples: z.array(RowExample),
  /** The sendable row with the longest text, and the first with several segments. */
  longest: z.nullable(RowExample),
  first_in_parts: z.nullable(RowExample),
  /** The rows of an upload that has not reached its end. Until it does, the draft cannot be started. */
  uploading: z.nullable(z.int()),
  basis: EstimateBasis,
  /** If it were started now; null if it is not known. */
  finishes_at: z.nullable(Instant),
  limited_by: z.nullable(LimitedBy),
})
export type CampaignPreview = z.infer<typeof CampaignPreview>

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

export const RowSelection = z.object({
  /** `delivered` includes those with a reply. */
  state: z.optional(listParam(rowStates)),
  reason: z.optional(z.string().check(z.maxLength(64))),
  /** Part of the number or of the uploaded name. */
  search: z.optional(z.string().check(z.maxLength(100))),
  order: z._default(z.enum(['asc', 'desc']), 'asc'),
  limit: z._default(countParam(1, 1_000), 500),
  cursor: z.optional(Cursor),
})
export type RowSelection = z.infer<typeof RowSelection>

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

export const uploadRows = route('POST /api/campaigns/:id/rows', {
  summary: 'Stores up to 5,000 rows of a draft from `first_row` on. The same call again replaces them.',
  may: 'campaigns:manage',
  params: byId,
  body: z.strictObject({
    first_row: z.int().check(z.gte(1), z.lte(MAX_CAMPAIGN_ROWS + 1)),
    rows: z.array(z.unknown()).check(z.maxLength(MAX_IMPORTED)),
    /** Drops the rows after these. */
    last: z.optional(z.boolean()),
    /** How many rows the whole upload has. The draft cannot be started until its `last` rows are there. */
    of: z.optional(z.int().check(z.gte(0), z.lte(MAX_CAMPAIGN_ROWS))),
  }),
  body_bytes: ROWS_BYTES,
  reply: z.object({
    /** Rows of the campaign now. */
    rows: z.int(),
    /** Rows of this call whose number an earlier row has. */
    repeated: z.int(),
    /** Rows that cannot be sent as they are. They are kept, to be corrected. */
    refused: z.array(z.extend(RowFault, { row: z.int() })),
  }),
  errors: ['unknown_campaign', 'wrong_state', 'disk_full'],
})

export const listRows = route('GET /api/campaigns/:id/rows', {
  summary: 'The rows of a campaign, by row, in pages.',
  params: byId,
  query: RowSelection,
  reply: z.object({ rows: z.array(CampaignRow), next_cursor: z.nullable(Cursor) }),
  errors: ['unknown_campaign'],
})

export const deleteCampaign = route('DELETE /api/campaigns/:id', {
  summary: 'Removes a draft, or a campaign that has ended. Its messages stay in the log.',
  may: 'campaigns:manage',
  params: byId,
  errors: ['unknown_campaign', 'wrong_state'],
})

export const previewCampaign = route('GET /api/campaigns/:id/preview', {
  summary: 'How many rows of a draft would be sent now, why others would not, and when it would be finished.',
  may: 'campaigns:manage',
  params: byId,
  reply: CampaignPreview,
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
  errors: ['unknown_campaign', 'wrong_state', 'nothing_to_send'],
})

export const exportRows = route('GET /api/campaigns/:id/rows.csv', {
  summary: 'The rows of a campaign as a CSV file.',
  params: byId,
  query: z.omit(RowSelection, { order: true, limit: true, cursor: true }),
  reply: CsvFile,
  errors: ['unknown_campaign'],
})
