import { USUAL_QUOTAS } from '@sdd/contract/accounts/quotas.ts'
import type { ApiKey } from '@sdd/contract/accounts/api-keys.ts'
import type { AuditEntry } from '@sdd/contract/accounts/audit.ts'
import { CallbackType, TaskEvent, type Callback, type Webhook } from '@sdd/contract/outward/callbacks.ts'
import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import type { MadeByUser } from '@sdd/contract/insight/made-by-user.ts'
import { exampleCodes } from './example-staff.ts'
import { NOW } from './examples.ts'
import type { StandIn } from './stand-in.ts'

const exampleQuotas = Object.fromEntries(
  Object.entries(USUAL_QUOTAS).map(([name, usual]) => [name, { most: usual, usual, used: 3 }]),
)
const exampleDestinations = { allow: ['+34', '6'], deny: ['+34803'], max_per_recipient_dayly: 5 }

const people = ['superadmin', 'Ana Ruiz', 'Marta Peña']

/** Two keys of the signed-in user's company; one of another company that expires soon and was rotated. */
export const exampleKeys: ApiKey[] = [
  exampleKey(3, {
    name: 'CRM de citas',
    last_used_at: instant(-40),
    last_used_from: '203.0.113.7',
    by: 'Ana Ruiz',
  }),
  exampleKey(2, {
    name: 'Avisos de almacén',
    may: ['tasks:write', 'inbox:read'],
    expires_at: instant(300 * 86_400),
  }),
  exampleKey(1, {
    name: 'Informes',
    company_id: 3,
    may: ['tasks:read'],
    by: null,
    expires_at: inHours(5 * 24),
    previous_until: inHours(20),
  }),
]

export function exampleKey(id: number, rest: Partial<ApiKey>): ApiKey {
  return {
    id,
    company_id: 1,
    name: `key ${id}`,
    may: ['tasks:write', 'tasks:read'],
    classes: ['code', 'transactional', 'marketing'],
    hint: `sdk_${id}Qx7`,
    created_at: instant(-id * 90_000),
    by: 'superadmin',
    created_by: 'superadmin',
    last_used_at: null,
    last_used_from: null,
    expires_at: null,
    previous_until: null,
    ...rest,
  }
}

export const exampleWebhooks: Webhook[] = [
  {
    id: 1,
    company_id: 1,
    url: 'https://crm.example.com/hooks/sms',
    types: [...CallbackType.options],
    created_at: instant(-800_000),
    by: 'Ana Ruiz',
    dead: 2,
    previous_until: null,
    format: null,
    api_key_id: null,
  },
  {
    id: 2,
    company_id: 1,
    url: 'https://ops.example.net/alerts',
    types: ['task.failed', 'task.expired'],
    created_at: instant(-90_000),
    by: null,
    dead: 0,
    previous_until: inHours(20),
    format: null,
    api_key_id: null,
  },
  {
    id: 3,
    company_id: 1,
    url: 'https://shop.example.com/sms',
    types: ['sms.received'],
    created_at: instant(-50_000),
    by: 'Ana Ruiz',
    dead: 0,
    previous_until: null,
    format: 'twilio',
    api_key_id: 2,
  },
]

/** The keys, webhooks and link codes made by this user. */
export function madeBy(name: string): MadeByUser {
  const byThem = ({ by }: { by: string | null }) => by === name
  return {
    api_keys: exampleKeys.filter(byThem),
    webhooks: exampleWebhooks.filter(byThem),
    link_codes: exampleCodes().filter(byThem),
  }
}

/** Callbacks in all states, newest first. */
function exampleCallbacks(count: number): Callback[] {
  return Array.from({ length: count }, (_, n) => exampleCallback(count - n))
}

export function exampleCallback(id: number): Callback {
  const state = id % 5 === 0 ? 'dead' : id % 7 === 0 ? 'waiting' : 'delivered'
  const at = (id - 1_000) * 11
  return {
    id,
    company_id: 1,
    webhook_id: `msg_${String(id).padStart(6, '0')}`,
    type: TaskEvent.options[id % TaskEvent.options.length] ?? 'task.sent',
    guid: `task-${String(id).padStart(6, '0')}`,
    url: exampleWebhooks[id % 2]?.url ?? '',
    state,
    created_at: instant(at),
    tries: state === 'dead' ? 8 : state === 'waiting' ? 3 : 1,
    last_tried_at: instant(at + 1),
    last_status: state === 'delivered' ? 204 : state === 'waiting' ? 503 : null,
    last_error: state === 'dead' ? 'It did not answer within 15 s.' : null,
    last_error_code: state === 'dead' ? 'late' : null,
    last_error_params: state === 'dead' ? { secs: 15 } : null,
    next_try_at: state === 'waiting' ? instant(at + 600) : null,
    delivered_at: state === 'delivered' ? instant(at + 1) : null,
  }
}

/** Blocks, newest first. A person added every third one. */
export function exampleOptOuts(count: number): OptOut[] {
  return Array.from({ length: count }, (_, n) => {
    const id = count - n
    const asked = id % 3 !== 0
    return {
      id,
      company_id: 1,
      number: `+346${String(20_000_000 + id * 37).padStart(8, '0')}`,
      text: asked ? (id % 2 === 0 ? 'BAJA' : 'Stop') : null,
      device_uid: asked ? `drone-${String((id % 48) + 1).padStart(4, '0')}` : null,
      created_by: asked ? null : (people[id % 3] ?? null),
      created_at: instant(-n * 3_000),
    }
  })
}

const changes: Pick<AuditEntry, 'action' | 'subject' | 'name' | 'changes'>[] = [
  {
    action: 'settings.saved',
    subject: 'settings',
    name: 'Global',
    changes: {
      send_enabled: { from: true, to: false },
      stop_words: { from: ['STOP'], to: ['STOP', 'BAJA'] },
    },
  },
  {
    action: 'device.limit_saved',
    subject: 'device',
    name: 'drone-0007',
    changes: { max_sms_dayly: { from: 100, to: 250 } },
  },
  { action: 'opt_out.lifted', subject: 'opt_out', name: '+34620000037', changes: {} },
  {
    action: 'user.edited',
    subject: 'user',
    name: 'Luis Vega',
    changes: { role: { from: 'user', to: 'admin' } },
  },
  {
    action: 'api_key.created',
    subject: 'api_key',
    name: 'CRM de citas',
    changes: { expires_at: { from: null, to: instant(9_000_000) } },
  },
  {
    action: 'link_code.created',
    subject: 'link_code',
    name: 'ABCD… for 1 device until 2026-11-20',
    changes: {},
  },
]

/** The audit log, newest first. */
export function exampleAudit(count: number): AuditEntry[] {
  return Array.from({ length: count }, (_, n) => ({
    id: count - n,
    company_id: 1,
    at: instant(-n * 700),
    by: people[n % people.length] ?? '',
    user_id: (n % people.length) + 1,
    address: `198.51.100.${n % 250}`,
    ...changes[n % changes.length]!,
  }))
}

/** A server's answers for the tabs of Settings that only admins see. Nothing is stored. */
export function systemsAnswers(): StandIn['answers'] {
  const callbacks = exampleCallbacks(120)
  const optOuts = exampleOptOuts(90)
  const audit = exampleAudit(80)
  return {
    'GET /api/user/*/made': ({ path }) => ({ body: madeBy(path === '/api/user/2/made' ? 'Ana Ruiz' : '') }),
    'GET /api/api-keys': { body: { api_keys: exampleKeys } },
    'POST /api/api-keys': ({ body }) => ({
      status: 201,
      body: {
        id: 9,
        expires_at: null,
        ...(JSON.parse(body) as object),
        smpp: body.includes('"smpp":true') ? { system_id: 'sdd-4f9c21', password: 'k7Qm2xTz' } : undefined,
        key: 'sdk_4dQx7mVtR2bYpK9sLw3hN6cJ8fZ1gA5e',
        webhook_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      },
    }),
    'POST /api/api-keys/*/rotate': ({ path, body }) => ({
      body: {
        ...exampleKeys.find(({ id }) => path === `/api/api-keys/${id}/rotate`),
        hint: 'sdk_9tRw',
        previous_until: overlapEnd(body),
        key: 'sdk_9tRwL2mXc7VbN4qZs8KdJ5hGf3Ye6PaU',
        webhook_secret: 'whsec_Zr8vTq3LkW5nYb2HsXg7Jd9MfC4pEa6U',
      },
    }),
    'DELETE /api/api-keys/*/previous': { status: 204 },
    'DELETE /api/api-keys/*': { status: 204 },
    'GET /api/webhooks': { body: { webhooks: exampleWebhooks } },
    'POST /api/webhooks': ({ body }) => ({
      status: 201,
      body: {
        id: 9,
        company_id: 1,
        created_at: instant(0),
        by: 'superadmin',
        dead: 0,
        previous_until: null,
        types: [],
        format: null,
        api_key_id: null,
        ...(JSON.parse(body) as object),
        webhook_secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
      },
    }),
    'POST /api/webhooks/*/rotate': ({ path, body }) => ({
      body: {
        ...exampleWebhooks.find(({ id }) => path === `/api/webhooks/${id}/rotate`),
        previous_until: overlapEnd(body),
        webhook_secret: 'whsec_Hq6yLw9TzN3vRb8KxM2cPd5JgS7fUa4E',
      },
    }),
    'DELETE /api/webhooks/*/previous': { status: 204 },
    'DELETE /api/webhooks/*': { status: 204 },
    'GET /api/callbacks': ({ query }) => {
      const wanted = callbacks.filter(
        ({ state, guid }) =>
          [state, null].includes(query.get('state') as Callback['state']) &&
          guid.startsWith(query.get('guid') ?? ''),
      )
      return { body: { callbacks: wanted, next_cursor: null } }
    },
    'GET /api/callbacks/*': ({ path }) => {
      const id = Number(path.split('/').at(-1))
      const whole = { body: '{"type":"task.expired","task":{"guid":"task-1"}}', behind: null }
      return { body: { ...exampleCallback(id), id, ...whole } }
    },
    'POST /api/webhooks/*/test': {
      body: {
        delivered: true,
        status: 204,
        last_error: null,
        last_error_code: null,
        last_error_params: null,
        took_ms: 37,
      },
    },
    'POST /api/callbacks/repeat': { status: 202, body: { repeated: 3, more: false } },
    'POST /api/callbacks/*/repeat': ({ path }) => {
      const [, id] = /(\d+)\/repeat$/.exec(path) ?? []
      const row = exampleCallback(Number(id))
      return { status: 202, body: { ...row, state: 'waiting', next_try_at: instant(0) } }
    },
    'GET /api/quotas': ({ query }) => ({
      body: { company_id: Number(query.get('company') ?? 1), quotas: exampleQuotas },
    }),
    'POST /api/quotas': () => ({ body: { company_id: 1, quotas: exampleQuotas } }),
    'GET /api/destinations': ({ query }) => ({
      body: { ...exampleDestinations, company_id: Number(query.get('company') ?? 1) },
    }),
    'POST /api/destinations': ({ body, query }) => ({
      body: { company_id: Number(query.get('company') ?? 1), ...(JSON.parse(body) as object) },
    }),
    'GET /api/opt-outs': ({ query }) => {
      const wanted = optOuts.filter(({ number }) => number.includes(query.get('search') ?? ''))
      return { body: { opt_outs: wanted, next_cursor: null } }
    },
    'POST /api/opt-outs': ({ body }) => ({
      status: 201,
      body: { ...exampleOptOuts(1)[0], id: 99, ...(JSON.parse(body) as object) },
    }),
    'DELETE /api/opt-outs/*': { status: 204 },
    'GET /api/audit-log': ({ query }) => {
      const wanted = audit.filter(
        ({ subject, name, by }) =>
          [subject, null].includes(query.get('subject') as AuditEntry['subject']) &&
          `${name} ${by}`.includes(query.get('search') ?? ''),
      )
      return { body: { entries: wanted, next_cursor: null } }
    },
  }
}

function instant(secs: number): string {
  return new Date(NOW + secs * 1000).toISOString()
}

/** The end of the overlap that this rotation asks for. */
function overlapEnd(body: string): string | null {
  const { overlap_hours } = JSON.parse(body) as { overlap_hours: number }
  return overlap_hours === 0 ? null : inHours(overlap_hours)
}

function inHours(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString()
}
