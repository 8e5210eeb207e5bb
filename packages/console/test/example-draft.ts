import type { Campaign, NewCampaign } from '@sdd/contract/people/campaigns.ts'
import type { CampaignPreview, CheckedRow, RowExample } from '@sdd/contract/people/campaign-checks.ts'
import { NOW } from './examples.ts'
import type { StandIn } from './stand-in.ts'

const example: RowExample = {
  row: 1,
  number: '+34600111242',
  name: 'Lucía',
  text: 'Hola, Lucía: a las 12:15.',
  parts: 1,
  encoding: 'ucs2',
  values: { name: 'Lucía', number: '+34600111242', hora: '12:15' },
}

const preview: CampaignPreview = {
  rows: 1_248,
  sendable: 1_183,
  parts: 1_270,
  by_encoding: { gsm7: 1_096, ucs2: 87 },
  repeated: 21,
  invalid: 17,
  opted_out: 19,
  without_consent: 8,
  over_recipient_cap: 0,
  by_parts: [
    { parts: 1, rows: 1_096 },
    { parts: 2, rows: 87 },
  ],
  ucs2_letters: ['í', 'ó'],
  faults: [
    { code: 'invalid_number', field: null, rows: 12 },
    { code: 'missing_field', field: 'hora', rows: 3 },
    { code: 'invalid_at', field: null, rows: 2 },
  ],
  examples: [
    example,
    { ...example, row: 2, number: '+34600111243', values: { ...example.values, name: 'Andrés' } },
  ],
  longest: { ...example, row: 152 },
  first_in_parts: { ...example, row: 3 },
  uploading: null,
  basis: { devices: 3, away: 1, per_hour: 240, room_today: 3_035 },
  finishes_at: new Date(NOW + 5 * 3_600_000).toISOString(),
  limited_by: 'pacing',
}

const invalid: CheckedRow = {
  row: 4,
  number: '12',
  name: 'Carmen',
  fields: { name: 'Carmen', hora: '13:00' },
  at: null,
  member: false,
  values: { name: 'Carmen', hora: '13:00', number: '12' },
  group: 'invalid',
  text: null,
  fault: { code: 'invalid_number', detail: 'It is no number.', params: {} },
}

/** A draft is taken with any text, and its check has rows of each group. */
export function draftAnswers(): StandIn['answers'] {
  return {
    'POST /api/campaigns': ({ body }) => ({ status: 201, body: campaignOf(JSON.parse(body) as NewCampaign) }),
    'POST /api/campaigns/*': ({ body }) => ({ body: campaignOf(JSON.parse(body) as NewCampaign) }),
    'POST /api/campaigns/*/rows': { body: { rows: 1_248, repeated: 0, refused: [] } },
    'GET /api/campaigns/*/preview': { body: preview },
    'GET /api/campaigns/*/check': {
      body: {
        rows: [
          invalid,
          {
            ...invalid,
            row: 9,
            number: '+34600111299',
            fault: { code: 'missing_field', detail: 'It has no hora.', params: { field: 'hora' } },
          },
          { ...invalid, row: 1_240, member: true },
        ],
        next_cursor: null,
      },
    },
  }
}

function campaignOf(written: NewCampaign): Campaign {
  return {
    id: 7,
    company_id: 1,
    state: 'draft',
    created_at: new Date(NOW).toISOString(),
    created_by: 'superadmin',
    started_at: null,
    paused_at: null,
    paused_by: null,
    finished_at: null,
    rows: 1_248,
    waiting_for: null,
    waiting_code: null,
    waiting_params: null,
    limited_by: null,
    rate_per_min: null,
    finishes_at: null,
    counts: {
      pending: 1_248,
      queued: 0,
      handed: 0,
      sent: 0,
      delivered: 0,
      failed: 0,
      uncertain: 0,
      expired: 0,
      cancelled: 0,
      skipped: 0,
    },
    name: written.name,
    text: written.text,
    class: written.class,
    lists: written.lists ?? [],
    via: written.via ?? null,
    not_before: written.not_before ?? null,
    expires_at: written.expires_at ?? null,
  }
}
