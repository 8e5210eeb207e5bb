import * as z from 'zod/mini'
import { ApiError, type ErrorCode, errorStatus } from '@sdd/contract/core/errors.ts'
import { keyPermissions, type Permission, permissions } from '@sdd/contract/core/roles.ts'
import { CsvFile, duties, mediaTypes, type Route, type Schema } from '@sdd/contract/core/route.ts'

type Json = { [name: string]: unknown }

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
    paths,
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
    summary: route.summary,
    description: route.may === 'anyone' ? undefined : forWhom(route.may),
    security: security(route.may),
    parameters: [...parameters('path', route.params), ...parameters('query', route.query)],
    requestBody: route.body && {
      required: !route.body.safeParse({}).success,
      content: { [mediaTypes[route.encoding]]: { schema: jsonSchema(route.body, 'input') } },
    },
    responses: { ...successes(route), ...failures(route) },
  }
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

/**
 * Parts that JSON Schema cannot express (such as conversions) are left open. An answer may gain new fields at any time;
 * a request has only those in its schema.
 */
function jsonSchema(schema: Schema, io: 'input' | 'output'): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // A record with a name pattern has no other names.
      if (jsonSchema.patternProperties) delete jsonSchema.additionalProperties
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (io === 'input') allowBlanks(zodSchema, jsonSchema)
      // JavaScript's own integer bounds are not limits of the API.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return json
}

/** A text that is trimmed before it is checked may have whitespace around it. */
function allowBlanks({ _zod }: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema): void {
  const { checks = [] } = _zod.def
  const trims = checks.findIndex((check) => {
    const { tx } = check._zod.def as { tx?: (text: string) => string }
    return tx?.(' a b ') === 'a b'
  })
  if (trims < 0) return
  // Checks before the trim apply to the text as written.
  const patterns = checks.flatMap((check, place) => {
    const { pattern } = check._zod.def as { pattern?: RegExp }
    if (pattern === undefined) return []
    return place < trims ? pattern.source : padded(pattern.source)
  })
  const later = checks.slice(trims + 1).map((check) => check._zod.def.check)
  if (later.some((check) => check === 'min_length' || check === 'max_length')) {
    const { minLength: least = 0, maxLength: most } = json
    const inner = `\\S([\\s\\S]{0,${most === undefined ? '' : most - 2}}\\S)?`
    patterns.push(`^\\s*${least === 0 ? `(${inner})?` : inner}\\s*$`)
    delete json.minLength
    delete json.maxLength
  }
  delete json.pattern
  delete json.allOf
  if (patterns.length === 1) json.pattern = patterns[0]!
  else if (patterns.length > 1) json.allOf = patterns.map((pattern) => ({ pattern }))
}

function padded(pattern: string): string {
  const inner = /^\^(.*)\$$/s.exec(pattern)?.[1]
  return inner === undefined ? pattern : `^\\s*(?:${inner})\\s*$`
}
