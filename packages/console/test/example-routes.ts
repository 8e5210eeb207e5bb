import type { RouteOutcome, RouteRule } from '@sdd/contract/fleet/routes.ts'
import { NOW } from './examples.ts'
import type { StandIn } from './stand-in.ts'

const rule = (id: number, rest: Partial<RouteRule>): RouteRule => ({
  id,
  match: {},
  via: null,
  fallback: 'any',
  fallback_after_secs: 0,
  enabled: true,
  note: null,
  ...rest,
})

const rules: readonly RouteRule[] = [
  rule(1, {
    match: { prefix: ['+34803', '+34806', '+34905'] },
    fallback: 'refuse',
    note: 'Tarificación especial',
  }),
  rule(2, { match: { class: 'code' }, via: 'norte', fallback_after_secs: 20, note: 'No esperan' }),
  rule(3, {
    match: { api_key_id: 1, country: 'ES' },
    via: 'norte',
    fallback: 'almacén',
    fallback_after_secs: 600,
  }),
  rule(4, { match: { country: ['PT', 'FR'] }, via: 'roaming', fallback: 'wait' }),
  rule(5, { match: { campaign: 7 }, via: 'almacén', fallback: 'refuse', enabled: false }),
  rule(6, { match: { prefix: '+3480611', class: 'marketing' }, via: 'norte' }),
]

const strangers = Array.from({ length: 8 }, (_, n) => `drone-00${n + 10}`)

const outcome: RouteOutcome = {
  route: 3,
  chosen: 'drone-0001',
  candidates: [
    { uid: 'drone-0001', fit: true, why: null },
    { uid: 'drone-0002', fit: true, why: null },
    { uid: 'drone-0003', fit: false, why: 'pacing' },
    { uid: 'drone-0004', fit: false, why: 'disconnected' },
    ...strangers.map((uid) => ({ uid, fit: false, why: 'not_in_route' as const })),
  ],
  rules: [
    { id: 1, match: false, why: 'prefix' },
    { id: 2, match: false, why: 'class' },
    { id: 3, match: true, why: null },
    { id: 4, match: false, why: 'country' },
    { id: 5, match: false, why: 'disabled' },
    { id: 6, match: false, why: 'prefix' },
  ],
  to_number: '+34612000000',
  country: 'ES',
  held_until: null,
}

export function routeAnswers(): StandIn['answers'] {
  const saved_at = new Date(NOW - 3_600_000).toISOString()
  const list = { routes: rules, version: 7, warnings: [], saved_at, saved_by: 'Marta Sanz' }
  return {
    'GET /api/routes': { body: list },
    'POST /api/routes': ({ body }) => {
      const { routes } = JSON.parse(body) as { routes: RouteRule[] }
      return {
        body: { ...list, routes: routes.map((one, n) => ({ ...one, id: one.id ?? 90 + n })), version: 8 },
      }
    },
    'POST /api/routes/test': { body: outcome },
  }
}
