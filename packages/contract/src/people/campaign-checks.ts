import * as z from 'zod/mini'
import { countParam, Cursor, IdParam, Instant, listParam } from '@sdd/contract/core/fields.ts'
import { CsvFile, route } from '@sdd/contract/core/route.ts'
import { RowFault } from '@sdd/contract/people/campaigns.ts'

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
