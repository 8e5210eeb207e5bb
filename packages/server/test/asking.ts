import { createLinkCode } from '@sdd/contract/fleet/devices.ts'
import { pathOf, type Route } from '@sdd/contract/core/route.ts'
import type { MarkedCompany } from './marked-company.ts'
import { type AnsweredHeaders, ask } from './http.ts'
import { notePassword, proveIt } from './proving.ts'
import { fieldsOf, sampleOf } from './samples.ts'
import { PASSWORD, someone } from './seeds.ts'
import { call } from './server.ts'

export type Request = {
  params: Record<string, string | number>
  query: Record<string, string>
  body: unknown
  /** Whether it names an existing thing by path, `id`, a device's uid or company. */
  names: boolean
}

/** An id that no row has. */
const NOWHERE = 999_999

/** Variants of a route's request: `all` has every field, `create` leaves out the optional `id`. */
export type Variant = { all?: boolean; create?: boolean }

export function variantsOf({ body }: Route): Variant[] {
  const fields = fieldsOf(body)
  return [
    {},
    ...(fields.some(({ optional }) => optional) ? [{ all: true }] : []),
    ...(fields.some(({ name, optional }) => name === 'id' && optional) ? [{ all: true, create: true }] : []),
  ]
}

/** The noun of a route, which its parameters and an `id` in its body refer to: `api-keys` for `/api/api-keys/:id`. */
export function nounOf({ path }: Route): string {
  const parts = path.split('/').slice(2)
  const named = parts.findIndex((part) => part.startsWith(':'))
  return (named > 0 ? parts[named - 1] : parts[0])!
}

/**
 * A valid request by the contract's schemas about a thing of a company. `fresh` creates a thing for this request only,
 * which may delete it; `all` fills every field.
 */
export async function requestTo(
  route: Route,
  server: { url: string },
  company: MarkedCompany | 'nowhere',
  {
    fresh = false,
    all = false,
    create = false,
    id,
  }: Variant & { fresh?: boolean; id?: number | undefined } = {},
): Promise<Request> {
  const query = fieldsOf(route.query)
  const body = fieldsOf(route.body)
  const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const inBody = body.filter(({ name, optional }) =>
    name === 'id' ? !create : !optional && /(^|_)uid$/.test(name),
  )
  const inQuery = query.filter(({ name }) => name === 'company')
  const names = params.length + inBody.length + inQuery.length > 0

  const thing = await thingOf(route, company, fresh, id)
  const values: Record<string, unknown> = {
    ...thing,
    device_uid: thing.uid,
    company: String(company === 'nowhere' ? NOWHERE : company.id),
    companyId: company === 'nowhere' ? NOWHERE : company.id,
    ...someone(),
    username: company === 'nowhere' ? 'nobody' : company.member.name,
    password: PASSWORD,
    max_sms_dayly: 50,
    first_row: 1,
    // If this were true, the company's admins could only set up their second factor.
    require_second_factor: false,
    not_before: inHours(1),
    expires_at: inHours(2),
    maintenance_until: inHours(1),
    // The fields of a change exclude each other, and those of an order depend on it.
    change: { note: 'a text' },
    what: 'doctor',
    pattern: '{amount}',
    currency: 'EUR',
    code: body.some(({ name }) => name === 'code') ? await linkCode(server, company) : undefined,
  }
  const byName = (name: string) => values[name]
  const written = route.body && (sampleOf(route.body, byName, { all }) as object)
  // An id that the server generates always refers to an existing row.
  const about = Object.fromEntries(inBody.map(({ name }) => [name, values[name]]))
  return {
    params: Object.fromEntries(params.map((name) => [name, values[name] as string | number])),
    query: Object.fromEntries(inQuery.map(({ name }) => [name, values[name] as string])),
    body: written && { ...written, ...about },
    names,
  }
}

function inHours(hours: number): string {
  return new Date(Date.now() + (24 + hours) * 3_600_000).toISOString()
}

async function linkCode(server: { url: string }, company: MarkedCompany | 'nowhere'): Promise<string> {
  if (company === 'nowhere') return 'AAAAA-AAAAA'
  return (await call(server, createLinkCode, { token: company.admin.token, body: {} })).body.code
}

/** The thing that the route is about, by its names in a path or body. */
async function thingOf(
  route: Route,
  company: MarkedCompany | 'nowhere',
  fresh: boolean,
  id: number | undefined,
): Promise<{ uid: string; guid: string; iccid: string; number: string; id: number }> {
  if (company === 'nowhere')
    return {
      uid: 'no-such-device',
      guid: 'no-such-guid',
      iccid: '9999999999999999999',
      number: '+34600000000',
      id: id ?? NOWHERE,
    }
  const noun = nounOf(route)
  const made: Record<string, () => Promise<number> | number> = {
    user: () => company.member.id,
    'api-keys': async () => (fresh ? await company.newKey() : company.key).id,
    sessions: () => (fresh ? company.newSession() : company.session),
    webhooks: async () => (fresh ? await company.newWebhook() : company.webhook).id,
    callbacks: () => (fresh ? company.newCallback() : company.callback),
    keywords: async () => (fresh ? await company.newKeyword() : company.keyword).id,
    templates: async () => (fresh ? await company.newTemplate() : company.template).id,
    campaigns: async () => (fresh ? await company.newCampaign() : company.campaign).id,
    'alert-rules': async () => (fresh ? await company.newAlertRule() : company.alertRule).id,
    'alert-channels': async () => (fresh ? await company.newAlertChannel() : company.alertChannel).id,
    alerts: () => (fresh ? company.newAlert() : company.alert),
    'opt-outs': async () => (fresh ? await company.newOptOut() : company.optOut).id,
  }
  const isTask = noun === 'external-tasks'
  return {
    uid: fresh && noun.endsWith('device') ? (await company.newDevice()).uid : company.device.uid,
    number: await numberOf(noun, company, fresh),
    iccid: company.iccid,
    guid: isTask ? (fresh ? await company.newTask() : company.task) : company.guid,
    id: id ?? (await made[noun]?.()) ?? NOWHERE,
  }
}

/** That of a conversation or of a contact. */
function numberOf(noun: string, company: MarkedCompany, fresh: boolean): string | Promise<string> {
  if (noun === 'conversations') return company.number
  return fresh && noun === 'contacts' ? company.newContact() : company.contact
}

export type Said = {
  status: number
  headers: AnsweredHeaders
  /** The status line, headers and body as an outsider would read them. */
  text: string
  body: { code?: string; detail?: string } & Record<string, unknown>
}

/**
 * Sends the request as a page of another origin would, with these headers, and records the answer. If the server asks
 * for a proof of identity, it gives the password and sends the request again.
 */
export async function say(
  server: { url: string },
  ...asked: [Pick<Route, 'method' | 'path' | 'encoding'>, Partial<Request>, string | undefined, Written?]
): Promise<Said> {
  const [route, { body }, token] = asked
  const said = await sayOnce(server, ...asked)
  notePassword(route, { token, body }, said)
  const again = said.body.code === 'proof_required' && (await proveIt(server, token!))
  return again ? sayOnce(server, ...asked) : said
}

type Written = Record<string, string>

async function sayOnce(
  server: { url: string },
  route: Pick<Route, 'method' | 'path' | 'encoding'>,
  { params, query, body }: Partial<Request>,
  token: string | undefined,
  more: Written = {},
): Promise<Said> {
  const url = new URL(pathOf(route, params), server.url)
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
  const form = route.encoding === 'form'
  const answered = await ask(url, {
    method: route.method,
    headers: {
      origin: 'https://elsewhere.example',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !form && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && {
      body: form ? new URLSearchParams(body as Record<string, string>) : JSON.stringify(body),
    }),
  })
  const { status, statusText, headers, text } = answered
  const json = headers.get('content-type')?.startsWith('application/json')
  const written = Array.from(headers, ([name, value]) => `${name}: ${value}`).join('\n')
  return {
    status,
    headers,
    text: `${status} ${statusText}\n${written}\n\n${text}`,
    body: (json ? JSON.parse(text) : {}) as Said['body'],
  }
}

/** Removes what the caller sent, since it reveals nothing. */
export function withoutEcho(text: string, { params = {}, query = {}, body }: Partial<Request>): string {
  const given = [params, query, body].flatMap((part) => Object.values(Object(part) as object))
  const texts = given.filter((value): value is string => typeof value === 'string' && value.length > 2)
  return texts.reduce(
    (left, value) => left.replaceAll(value, '…').replaceAll(encodeURIComponent(value), '…'),
    text,
  )
}

/** The company of every row in an answer, at any depth. */
export function companiesIn(value: unknown): Set<number> {
  const found = new Set<number>()
  JSON.stringify(value, (name, each: unknown) => {
    if ((name === 'company_id' || name === 'companyId') && typeof each === 'number') found.add(each)
    return each
  })
  return found
}
