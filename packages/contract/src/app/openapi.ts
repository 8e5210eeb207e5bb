import { ApiError, type ErrorCode, errorStatus } from '@sdd/contract/core/errors.ts'
import { keyPermissions, type Permission, permissions } from '@sdd/contract/core/roles.ts'
import { CsvFile, duties, mediaTypes, type Route, type Schema } from '@sdd/contract/core/route.ts'
import { eventDescriptions } from './events.ts'
import { commandOf, exampleOf, exampleParams } from './examples.ts'
import { type Json, jsonSchema } from './json-schema.ts'

/**
 * The OpenAPI 3.1 document of these routes, made from the schemas that validate them. Requests are described as callers
 * write them, answers as the server sends them, with every possible error of each route.
 */
export function openapiDocument(routes: readonly Route[]): Record<string, unknown> {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'SMS Drone Dash',
      version: '1',
      description:
        'Times are ISO 8601 in UTC with milliseconds. Errors have a `detail` for people and a `code` for programs.',
    },
    servers: [{ url: '/' }],
    tags: Array.from(new Set(routes.map(tagOf)), (name) => ({ name })),
    paths,
    webhooks: eventDescriptions(),
    components: {
      schemas: { Error: jsonSchema(ApiError, 'output') },
      securitySchemes: {
        session: { type: 'http', scheme: 'bearer', description: 'The access_token of POST /api/login.' },
        api_key: { type: 'http', scheme: 'bearer', description: 'The key of POST /api/api-keys.' },
      },
    },
  }
}

function operation(route: Route): Json {
  return {
    operationId: operationId(route),
    tags: [tagOf(route)],
    summary: route.summary,
    description: route.may === 'anyone' ? undefined : forWhom(route.may),
    security: security(route.may),
    parameters: [...parameters('path', route.params), ...parameters('query', route.query)],
    requestBody: route.body && {
      required: !route.body.safeParse({}).success,
      content: {
        [mediaTypes[route.encoding]]: { schema: jsonSchema(route.body, 'input'), example: exampleOf(route) },
      },
    },
    responses: { ...successes(route), ...failures(route) },
    'x-codeSamples': [{ lang: 'Shell', source: commandOf(route) }],
  }
}

/** First parts of paths that belong to a group of another name. */
const GROUPS: Record<string, string> = {
  login: 'account',
  logout: 'account',
  proof: 'account',
  password: 'account',
  language: 'account',
  sessions: 'account',
  'second-factor': 'account',
  user: 'users',
  'my-users': 'users',
  device: 'devices',
  'my-devices': 'devices',
  'device-list': 'devices',
  'enable-device': 'devices',
  'disable-device': 'devices',
  'link-codes': 'devices',
  'device-list-settings': 'devices',
  'device-send-sms': 'messages',
  logs: 'messages',
  'external-tasks': 'tasks',
  inbox: 'conversations',
  lists: 'contacts',
  'alert-rules': 'alerts',
  'alert-channels': 'alerts',
  callbacks: 'webhooks',
  destinations: 'settings',
  'global-settings': 'settings',
  quotas: 'settings',
  'audit-log': 'audit',
}

/** The group of a route, for people who read the reference. */
function tagOf({ path }: Route): string {
  const [, first = ''] = /^\/api\/([\w-]+)/.exec(path) ?? []
  if (first === '' || first === 'openapi') return 'server'
  return GROUPS[first] ?? first
}

function forWhom(permission: Permission): string {
  const roles = `For the roles ${permissions[permission].join(', ')}`
  return takesKeys(permission) ? `${roles}, and API keys with ${permission}.` : `${roles}.`
}

function security(permission: Permission): Json[] {
  if (permission === 'anyone') return []
  return takesKeys(permission) ? [{ session: [] }, { api_key: [] }] : [{ session: [] }]
}

function takesKeys(permission: Permission): boolean {
  return (keyPermissions as readonly Permission[]).includes(permission)
}

/** `GET /api/device/:uid/networks` is `getDeviceByUidNetworks`. */
function operationId({ method, path }: Route): string {
  const parts = path
    .replace(/^\/api\//, '')
    .replaceAll(':', 'by-')
    .split(/[^A-Za-z0-9]+/)
  return method.toLowerCase() + parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('')
}

function parameters(place: 'path' | 'query', schema: Schema | undefined): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Json
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema,
    ...(place === 'path' && { example: exampleParams[name] }),
  }))
}

function successes({ status, otherStatus, reply }: Route): Json {
  if (!reply) return { [status]: { description: 'Done.' } }
  const content =
    reply === CsvFile
      ? { 'text/csv': { schema: { type: 'string' } } }
      : { 'application/json': { schema: jsonSchema(reply, 'output') } }
  const statuses = otherStatus ? [status, otherStatus] : [status]
  return Object.fromEntries(statuses.map((each) => [each, { description: 'Done.', content }]))
}

function failures(route: Route): Json {
  const byStatus = Map.groupBy(errorsOf(route), (code) => route.errorStatuses[code] ?? errorStatus[code])
  return Object.fromEntries(
    Array.from(byStatus, ([status, codes]) => [
      status,
      status === 429 || codes.includes('busy')
        ? { ...failure(codes), headers: { 'Retry-After': RETRY_AFTER } }
        : failure(codes),
    ]),
  )
}

/** The possible errors of this route: those common to its kind, and its own. */
function errorsOf(route: Route): Set<ErrorCode> {
  const codes: ErrorCode[] = ['malformed', 'internal', ...route.errors]
  if (route.may !== 'anyone') {
    const closedBefore = duties.filter((duty) => !route.openBefore.includes(duty))
    codes.push('unauthorized', ...closedBefore.map((duty) => `${duty}_required` as const))
  }
  // Wrong role, or an API key without permission. An open route refuses pages of other origins, except for GET.
  if (route.may !== 'anyone' || route.method !== 'GET') codes.push('forbidden')
  if (route.body) codes.push('too_large', 'unsupported_media_type')
  if (route.body || route.reply === CsvFile) codes.push('busy')
  if (route.params || route.query || route.body) codes.push('invalid')
  return new Set(codes)
}

const RETRY_AFTER = { description: 'Seconds until a retry.', schema: { type: 'integer' } }

function failure(codes: ErrorCode[]): Json {
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { type: 'object', properties: { code: { enum: codes } } },
    ],
  }
  return { description: codes.join(', '), content: { 'application/json': { schema } } }
}
