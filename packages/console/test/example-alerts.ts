import type { AlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import { DEFAULT_ALERT_SETTINGS, type Alert, type AlertRule } from '@sdd/contract/outward/alerts.ts'
import { NOW } from './examples.ts'
import type { StandIn } from './stand-in.ts'

export const exampleChannels: AlertChannel[] = [
  exampleChannel(1, { name: 'Guardia', last: { at: instant(-7_200), delivered: true, detail: null } }),
  exampleChannel(2, {
    kind: 'webhook',
    name: 'Panel de operaciones',
    settings: { url: 'https://ops.example.com/hooks/alerts' },
    last: { at: instant(-300), delivered: false, detail: 'HTTP 410' },
  }),
  exampleChannel(3, { kind: 'sms', name: 'Marta Sanz', settings: { to: '+34600111900' } }),
  exampleChannel(4, {
    kind: 'telegram',
    name: 'Grupo de avisos',
    settings: { chat_id: '-100200300', url: 'https://api.telegram.org', token_set: true },
  }),
  exampleChannel(5, {
    kind: 'ntfy',
    name: 'Móvil de guardia',
    company_id: 3,
    settings: { topic: 'sms-guardia', url: 'https://ntfy.sh', token_set: true },
  }),
]

function exampleChannel(id: number, rest: Partial<AlertChannel>): AlertChannel {
  return {
    id,
    company_id: 1,
    kind: 'email',
    name: `channel ${id}`,
    settings: { to: ['guardia@example.org'] },
    last: null,
    ...rest,
  }
}

export const exampleRules: AlertRule[] = [
  exampleRule(1, { channels: [1, 3], tags: ['norte'] }),
  exampleRule(2, { condition: 'failure_rate', value: 20, by: 'device', over: 20, channels: [1, 2] }),
  exampleRule(3, { condition: 'daily_limit_used', value: 80, channels: [2] }),
  exampleRule(4, {
    condition: 'balance_low',
    value: 2.5,
    hours: {
      windows: [{ days: ['mon', 'fri'], from: '09:00', to: '14:00' }],
      zone: 'Europe/Madrid',
      holidays: [],
    },
    channels: [4],
  }),
  exampleRule(5, { condition: 'device_quarantined', value: null }),
  exampleRule(6, { condition: 'backup_age', value: 26, enabled: false, company_id: 3, channels: [5] }),
]

function exampleRule(id: number, rest: Partial<AlertRule>): AlertRule {
  return {
    id,
    company_id: 1,
    condition: 'device_away',
    value: 10,
    by: null,
    over: null,
    tags: [],
    channels: [],
    hours: null,
    enabled: true,
    ...rest,
  }
}

const exampleAlerts: Alert[] = [
  ...[6, 5, 4].map((id) =>
    exampleAlert(id, {
      rule: { id: 5, condition: 'device_quarantined', value: null },
      subject: { kind: 'device', id: `drone-000${id}`, name: null },
      since: instant(-120),
    }),
  ),
  exampleAlert(3, {
    rule: { id: 3, condition: 'daily_limit_used', value: 80 },
    since: instant(-300),
    detail: 'It has sent 84 of the 100 SMS that it may send today.',
    detail_params: { sent: 84, limit: 100 },
    subject: { kind: 'device', id: 'drone-0003', name: 'drone-0003' },
    told: [
      { channel: 2, event: 'opened', at: instant(-290), delivered: false, tries: 3, detail: 'HTTP 410' },
    ],
  }),
  exampleAlert(2, {
    since: instant(-3_600),
    subject: { kind: 'device', id: 'drone-0002', name: 'drone-0002' },
    acknowledged_by: { id: 2, name: 'Ana Ruiz' },
    acknowledged_at: instant(-3_000),
  }),
  exampleAlert(1, {
    since: instant(-5_400),
    said_at: instant(-4_800),
    told: [
      { channel: 1, event: 'opened', at: instant(-4_800), delivered: true, tries: 1, detail: null },
      { channel: 3, event: 'opened', at: null, delivered: null, tries: 0, detail: null },
    ],
  }),
]

export function exampleAlert(id: number, rest: Partial<Alert>): Alert {
  return {
    id,
    company_id: 1,
    rule: { id: 1, condition: 'device_away', value: 10 },
    subject: { kind: 'device', id: 'drone-0001', name: 'drone-0001' },
    since: instant(-600),
    opened_at: rest.since ?? instant(-600),
    said_at: null,
    acknowledged_by: null,
    acknowledged_at: null,
    resolved_at: null,
    detail: 'The device is disconnected.',
    detail_params: {},
    told: [],
    ...rest,
  }
}

const resolved = [
  exampleAlert(9, {
    rule: { id: 2, condition: 'failure_rate', value: 20 },
    since: instant(-90_000),
    resolved_at: instant(-86_000),
    said_at: instant(-89_000),
  }),
]

export function alertAnswers(): StandIn['answers'] {
  return {
    'GET /api/alert-rules': { body: { alert_rules: exampleRules } },
    'POST /api/alert-rules': ({ body }) => {
      const change = JSON.parse(body) as Partial<AlertRule>
      const rule = exampleRules.find(({ id }) => id === change.id)
      return { status: rule ? 200 : 201, body: { ...exampleRule(7, {}), ...rule, ...change } }
    },
    'DELETE /api/alert-rules/*': { status: 204 },
    'GET /api/alert-channels': { body: { alert_channels: exampleChannels } },
    'POST /api/alert-channels': {
      status: 201,
      body: exampleChannel(6, {
        kind: 'webhook',
        settings: { url: 'https://a.example.com' },
        webhook_secret: 'whsec_4nQw9T2c8bYpLz1VxR6mKd3sHf7gJe0a',
      }),
    },
    'DELETE /api/alert-channels/*': { status: 204 },
    'POST /api/alert-channels/*/test': ({ path }) => ({
      body: path.includes('/2/')
        ? {
            delivered: false,
            detail: 'The connection was refused.',
            detail_code: 'refused',
            detail_params: {},
          }
        : { delivered: true, detail: null },
    }),
    'GET /api/alert-settings': { body: DEFAULT_ALERT_SETTINGS },
    'POST /api/alert-settings': { body: DEFAULT_ALERT_SETTINGS },
    'GET /api/alerts': ({ query }) => ({
      body: { alerts: query.get('open') === 'true' ? exampleAlerts : resolved, next_cursor: null },
    }),
    'POST /api/alerts/*/acknowledge': {
      body: {
        ...exampleAlerts[0],
        acknowledged_by: { id: 1, name: 'superadmin' },
        acknowledged_at: instant(0),
      },
    },
  }
}

function instant(secs: number): string {
  return new Date(NOW + secs * 1000).toISOString()
}
