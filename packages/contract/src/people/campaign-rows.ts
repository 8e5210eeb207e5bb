import * as z from 'zod/mini'
import { countParam, Cursor, IdParam, Instant, listParam } from '@sdd/contract/core/fields.ts'
import { CsvFile, route } from '@sdd/contract/core/route.ts'
import { messageStates } from '@sdd/contract/messages/messages.ts'
import { errorMsgFields } from '@sdd/contract/messages/outcomes.ts'
import { MAX_FIELDS, MAX_IMPORTED, ROWS_BYTES } from '@sdd/contract/people/contacts.ts'
import { FIELD_NAME } from '@sdd/contract/people/template-text.ts'

export const MAX_CAMPAIGN_ROWS = 200_000

/** `pending` until its message is made, then as the message; `skipped` rows never get one. */
export const rowStates = ['pending', 'skipped', ...messageStates] as const
export const RowState = z.enum(rowStates)
export type RowState = z.infer<typeof RowState>

/** Why a row is not sent. */
export const SkipReason = z.enum(['invalid', 'repeated', 'opted_out', 'no_consent', 'recipient_limit'])
export type SkipReason = z.infer<typeof SkipReason>

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
  'no_route',
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

export const exportRows = route('GET /api/campaigns/:id/rows.csv', {
  summary: 'The rows of a campaign as a CSV file.',
  params: byId,
  query: z.omit(RowSelection, { order: true, limit: true, cursor: true }),
  reply: CsvFile,
  errors: ['unknown_campaign'],
})
