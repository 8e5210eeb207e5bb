import * as z from 'zod/mini'
import { countParam, Cursor, IdParam, Instant, listParam } from '@sdd/contract/core/fields.ts'
import { CsvFile, route } from '@sdd/contract/core/route.ts'
import { RowFault, RowFaultCode } from '@sdd/contract/people/campaign-rows.ts'
import { LimitedBy } from '@sdd/contract/people/campaigns.ts'

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
  by_encoding: z.object({ gsm7: z.int(), ucs2: z.int() }),
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

/** The groups of a preview. Each row of a draft is in one: the first that fits, or `sendable`. */
export const rowGroups = [
  'sendable',
  'invalid',
  'repeated',
  'opted_out',
  'without_consent',
  'over_recipient_cap',
] as const
export const RowGroup = z.enum(rowGroups)
export type RowGroup = z.infer<typeof RowGroup>

/** A row of a draft, and what would become of it now. */
export const CheckedRow = z.object({
  row: z.int(),
  /** As it was uploaded, if it is no possible number. */
  number: z.string(),
  name: z.nullable(z.string()),
  /** As they were uploaded, the field `name` included. */
  fields: z.record(z.string(), z.string()),
  at: z.nullable(Instant),
  /** It comes from a list of contacts, and is no uploaded row. */
  member: z.boolean(),
  /** The fields that a text may use: those of the row, then those of its contact. */
  values: z.record(z.string(), z.string()),
  group: RowGroup,
  /** Rendered; null if that is impossible. */
  text: z.nullable(z.string()),
  fault: z.nullable(RowFault),
})
export type CheckedRow = z.infer<typeof CheckedRow>

const byId = z.object({ id: IdParam })

const CheckSelection = z.object({
  group: z.optional(listParam(rowGroups)),
  limit: z._default(countParam(1, 1_000), 100),
  cursor: z.optional(Cursor),
})
export type CheckSelection = z.infer<typeof CheckSelection>

export const previewCampaign = route('GET /api/campaigns/:id/preview', {
  summary: 'How many rows of a draft would be sent now, why others would not, and when it would be finished.',
  may: 'campaigns:manage',
  params: byId,
  reply: CampaignPreview,
  errors: ['unknown_campaign', 'wrong_state'],
})

export const checkRows = route('GET /api/campaigns/:id/check', {
  summary: 'The rows of a draft that are in these groups of its preview, in pages.',
  may: 'campaigns:manage',
  params: byId,
  query: CheckSelection,
  reply: z.object({ rows: z.array(CheckedRow), next_cursor: z.nullable(Cursor) }),
  errors: ['unknown_campaign', 'wrong_state'],
})

export const exportCheck = route('GET /api/campaigns/:id/check.csv', {
  summary: 'The rows of a draft that would not be sent, with the reason of each, as a CSV file.',
  may: 'campaigns:manage',
  params: byId,
  reply: CsvFile,
  errors: ['unknown_campaign', 'wrong_state'],
})
