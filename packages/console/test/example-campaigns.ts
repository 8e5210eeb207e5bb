import type { CampaignRow } from '@sdd/contract/people/campaign-rows.ts'
import type {
  Campaign,
  CampaignCounts,
  CampaignDetail,
  CampaignTotals,
} from '@sdd/contract/people/campaigns.ts'
import { NOW } from './examples.ts'
import type { StandIn } from './stand-in.ts'

function campaign(
  id: number,
  name: string,
  counts: Partial<CampaignCounts>,
  rest: Partial<Campaign> = {},
): Campaign {
  const all = { ...none, ...counts }
  return {
    id,
    company_id: 1,
    name,
    text: 'Hola {{name}}, le esperamos mañana a las {{hora}}.',
    class: 'transactional',
    state: 'finished',
    lists: [],
    via: null,
    not_before: null,
    expires_at: null,
    created_at: instant(-90_000),
    created_by: 'Ana Ruiz',
    started_at: instant(-9_300),
    paused_at: null,
    paused_by: null,
    finished_at: null,
    rows: Object.values(all).reduce((sum, count) => sum + count, 0),
    waiting_for: null,
    waiting_code: null,
    waiting_params: null,
    limited_by: null,
    counts: all,
    rate_per_min: null,
    finishes_at: null,
    ...rest,
  }
}

const none: CampaignCounts = {
  pending: 0,
  queued: 0,
  handed: 0,
  sent: 0,
  delivered: 0,
  failed: 0,
  uncertain: 0,
  expired: 0,
  cancelled: 0,
  skipped: 0,
}

const running = {
  pending: 600,
  queued: 14,
  handed: 2,
  sent: 31,
  delivered: 507,
  failed: 26,
  uncertain: 3,
  skipped: 4,
}

export const exampleCampaigns: Campaign[] = [
  campaign(7, 'Recordatorios de cita, diciembre', running, {
    state: 'running',
    rate_per_min: 2.7,
    finishes_at: instant(13_900),
    limited_by: 'pacing',
  }),
  campaign(
    6,
    'Encuesta tras la visita',
    { delivered: 212, failed: 9, sent: 3, pending: 416 },
    {
      state: 'paused',
      paused_at: instant(-4_000),
      paused_by: 'Pedro Gallardo',
      waiting_for: 'Its campaign is paused.',
      waiting_code: 'campaign_paused',
      waiting_params: {},
    },
  ),
  campaign(
    5,
    'Aviso de cierre',
    { delivered: 1468, failed: 31, pending: 811 },
    {
      state: 'running',
      rate_per_min: 0,
      finishes_at: instant(70_000),
      limited_by: 'sending_hours',
      waiting_for: 'It is outside the sending hours.',
      waiting_code: 'sending_hours',
      waiting_params: { until: instant(40_000), at: instant(40_000), class: 'transactional' },
    },
  ),
  campaign(
    4,
    'Revisión anual, lote 3',
    { pending: 920 },
    { state: 'scheduled', not_before: instant(60_000) },
  ),
  campaign(3, 'Felicitación de Navidad', {}, { state: 'draft', started_at: null }),
  campaign(
    2,
    'Promoción',
    { delivered: 388, failed: 44, sent: 6, cancelled: 1062 },
    {
      state: 'stopped',
      finished_at: instant(-5_000),
    },
  ),
  campaign(
    1,
    'Vacuna de la gripe',
    { delivered: 1060, failed: 32, sent: 12 },
    { finished_at: instant(-3_600) },
  ),
]

function detailOf(found: Campaign): CampaignDetail {
  const goes = found.state === 'running' || found.state === 'scheduled'
  return {
    ...found,
    reasons: [
      { state: 'failed', reason: 'no_network', count: 15, retryable: 15 },
      { state: 'failed', reason: 'invalid_destination', count: 11, retryable: 0 },
      { state: 'skipped', reason: 'opted_out', count: 3, retryable: 0 },
      { state: 'skipped', reason: 'invalid', count: 1, retryable: 0 },
    ],
    planned_at: found.finishes_at && instant(8_500),
    devices: goes
      ? [
          { uid: 'drone-0008', away: 'offline', since: instant(-2_400), per_hour: null },
          { uid: 'drone-0001', away: null, since: null, per_hour: 80 },
          { uid: 'drone-0002', away: null, since: null, per_hour: 80 },
          { uid: 'drone-0003', away: 'daily_limit', since: null, per_hour: null },
        ]
      : [],
    devices_total: goes ? 4 : 0,
    finishes_with_all_at: goes ? instant(9_000) : null,
  }
}

function row(line: number, state: CampaignRow['state'], rest: Partial<CampaignRow> = {}): CampaignRow {
  return {
    row: line,
    number: `+346001110${line}`,
    name: 'Irene Soto Lara',
    text: 'Hola Irene, le esperamos mañana a las 9:00.',
    state,
    reason: null,
    guid: `campaign:7:${line}`,
    device_uid: 'drone-0002',
    at: instant(-60 * (100 - line)),
    error_msg: null,
    error_msg_code: null,
    error_msg_params: null,
    fault: null,
    reply: null,
    ...rest,
  }
}

export const exampleRows: CampaignRow[] = [
  row(19, 'handed'),
  row(18, 'sent'),
  row(17, 'failed', { reason: 'no_network', error_msg: 'No network.', error_msg_code: 'unknown' as never }),
  row(16, 'replied', { reason: null, reply: 'SI' }),
  row(15, 'uncertain', { reason: 'unknown_outcome' }),
  row(14, 'skipped', { reason: 'opted_out', guid: null, device_uid: null }),
  row(13, 'skipped', {
    reason: 'invalid',
    number: '600',
    text: null,
    guid: null,
    device_uid: null,
    fault: { code: 'missing_field', detail: 'hora is missing.', params: { field: 'hora' } },
  }),
  row(12, 'delivered'),
]

export function campaignAnswers(): StandIn['answers'] {
  const find = (path: string) => exampleCampaigns.find(({ id }) => String(id) === path.split('/')[3])
  const unknown = {
    status: 404,
    body: { detail: 'There is no campaign 99.', code: 'unknown_campaign', params: {} },
  }
  return {
    'GET /api/campaigns': ({ query }) => {
      const matching = exampleCampaigns.filter(({ name }) => name.includes(query.get('search') ?? ''))
      const states = query.get('state')?.split(',')
      const totals: CampaignTotals = {
        draft: 0,
        scheduled: 0,
        running: 0,
        paused: 0,
        stopped: 0,
        finished: 0,
      }
      for (const { state } of matching) totals[state]++
      const campaigns = matching.filter(({ state }) => states === undefined || states.includes(state))
      return { body: { campaigns, next_cursor: null, totals } }
    },
    'GET /api/campaigns/*': ({ path }) => {
      const found = find(path)
      return found ? { body: detailOf(found) } : unknown
    },
    'GET /api/campaigns/*/rows': ({ query }) => {
      const states = query.get('state')?.split(',') ?? []
      const reason = query.get('reason')
      const rows = exampleRows.filter(
        (one) => states.includes(one.state) && (reason === null || one.reason === reason),
      )
      return { body: { rows, next_cursor: null } }
    },
  }
}

function instant(secs: number): string {
  return new Date(NOW + secs * 1000).toISOString()
}
