import * as z from 'zod/mini'
import { Country } from '@sdd/contract/core/countries.ts'
import { CompanyQuery, Instant, MessageClass, PhoneNumber } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import { Tag } from './tags.ts'

const MAX_ROUTES = 200
/** The most values of one field of a match. */
const MAX_VALUES = 50
/** What a route may do instead of naming another tag. */
export const fallbackWords = ['any', 'wait', 'refuse'] as const

const Prefix = z.string().check(z.regex(/^\+\d{1,15}$/, 'must be + and 1 to 15 digits'))

/** One value, or several of which one has to match. */
function oneOrMore<T extends z.ZodMiniType>(value: T) {
  return z.union([value, z.array(value).check(z.minLength(1), z.maxLength(MAX_VALUES))])
}

/** All fields that are there have to match; without any, every message does. */
export const RouteMatch = z.strictObject({
  prefix: z.optional(oneOrMore(Prefix)),
  /** Of the number. A short code is of the company's country. */
  country: z.optional(oneOrMore(Country)),
  class: z.optional(oneOrMore(MessageClass)),
  api_key_id: z.optional(z.int()),
  /** The id of a campaign. */
  campaign: z.optional(z.int()),
})
export type RouteMatch = z.infer<typeof RouteMatch>
export const matchFields = ['prefix', 'country', 'class', 'api_key_id', 'campaign'] as const
export type MatchField = (typeof matchFields)[number]

/** Messages that match leave through the devices with a tag, or as `fallback` says if none of them can send. */
export const RouteRule = z.object({
  id: z.int(),
  match: RouteMatch,
  /** Null: every device. */
  via: z.nullable(z.string()),
  /** A tag, `any`, `wait` or `refuse`. */
  fallback: z.string(),
  /** Others may take a message that has been ready for this long. */
  fallback_after_secs: z.int(),
  enabled: z.boolean(),
  note: z.nullable(z.string()),
})
export type RouteRule = z.infer<typeof RouteRule>

export const NewRouteRule = z.strictObject({
  /** Of a route that is kept; absent: a new one. */
  id: z.optional(z.int()),
  match: RouteMatch,
  via: z.nullable(Tag),
  fallback: z.union([z.enum(fallbackWords), Tag]),
  fallback_after_secs: z._default(z.int().check(z.gte(0), z.lte(86_400)), 0),
  enabled: z.boolean(),
  note: z.optional(z.nullable(z.string().check(z.maxLength(200)))),
})
export type NewRouteRule = z.infer<typeof NewRouteRule>

/** The whole list of a company, in order. */
export const RouteList = z.object({
  routes: z.array(RouteRule),
  /** Changes with each save. */
  version: z.int(),
  /** Something about the route with this id that a person should look at. */
  warnings: z.array(z.object({ route: z.int(), detail: z.string() })),
  /** Null before the first save. */
  saved_at: z.nullable(Instant),
  saved_by: z.nullable(z.string()),
})
export type RouteList = z.infer<typeof RouteList>

export const RoutesChange = z.strictObject({
  routes: z.array(NewRouteRule).check(z.maxLength(MAX_ROUTES)),
  /** The version that was changed; absent: whichever it is. */
  version: z.optional(z.int()),
})
export type RoutesChange = z.infer<typeof RoutesChange>

/** Why a device would not get a message now: the first that applies. */
const candidateReasons = [
  'not_in_route',
  'fallback_later',
  'disabled',
  'disconnected',
  'maintenance',
  'sim',
  'daily_limit',
  'plan_used',
  'quarantined',
  'window_full',
  'pacing',
  'sending_off',
] as const
export const CandidateReason = z.enum(candidateReasons)
export type CandidateReason = z.infer<typeof CandidateReason>

/** Why a route does not decide. */
export const RuleReason = z.enum(['disabled', ...matchFields, 'later'])
export type RuleReason = z.infer<typeof RuleReason>

/** A message that is only tried. */
export const RouteTrial = z.strictObject({
  to_number: PhoneNumber,
  class: z._default(MessageClass, 'transactional'),
  from_number: z.optional(z.nullable(PhoneNumber)),
  api_key_id: z.optional(z.nullable(z.int())),
  campaign: z.optional(z.nullable(z.int())),
})
export type RouteTrial = z.infer<typeof RouteTrial>

export const RouteOutcome = z.object({
  /** The id of the route that decides; null: none matches, so any device may send it. */
  route: z.nullable(z.int()),
  /** The uid of the device that would get it now. */
  chosen: z.nullable(z.string()),
  /** Every device of the company: those that fit first, in the order in which they would be taken. */
  candidates: z.array(z.object({ uid: z.string(), fit: z.boolean(), why: z.nullable(CandidateReason) })),
  /** Every route, in order. `why` of the winner is null. */
  rules: z.array(z.object({ id: z.int(), match: z.boolean(), why: z.nullable(RuleReason) })),
  /** It would not be accepted. */
  refused: z.optional(z.literal('no_route')),
  /** The number in its stored form, and its country. */
  to_number: z.string(),
  country: z.string(),
  /** It is outside the hours of its class, and would wait until then. */
  held_until: z.nullable(Instant),
})
export type RouteOutcome = z.infer<typeof RouteOutcome>

export const readRoutes = route('GET /api/routes', {
  summary:
    'The routes of the company, in order: the first that matches a message decides which devices may send it.',
  query: CompanyQuery,
  reply: RouteList,
  errors: ['unknown_company'],
})

export const saveRoutes = route('POST /api/routes', {
  summary: 'Replaces the list of routes. It holds at once for messages that no device has been given.',
  may: 'routes:write',
  query: CompanyQuery,
  body: RoutesChange,
  reply: RouteList,
  errors: ['unknown_company', 'routes_changed'],
})

export const testRoutes = route('POST /api/routes/test', {
  summary: 'Which route would decide about a message, and which devices could get it now. Nothing is stored.',
  query: CompanyQuery,
  body: RouteTrial,
  reply: RouteOutcome,
  errors: ['unknown_company'],
})
