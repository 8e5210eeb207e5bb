import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from './api.ts'
import { errorStatus } from '@sdd/contract/core/errors.ts'
import { IdParam } from '@sdd/contract/core/fields.ts'
import { openapiDocument } from './openapi.ts'
import { route } from '@sdd/contract/core/route.ts'
import * as z from 'zod/mini'

type Operation = {
  operationId: string
  summary: string
  security: object[]
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> }
  responses: Record<string, { description: string; headers?: object; content?: object }>
}

type Document = { openapi: string; info: object; paths: Record<string, Record<string, Operation>> }

/** The document as clients receive it. */
function documentOf(...some: Parameters<typeof openapiDocument>): Document {
  return JSON.parse(JSON.stringify(openapiDocument(...some)))
}

const document = documentOf(routes)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('every route is in the document, and nothing else is', () => {
  const declared = routes.map(
    ({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
  )
  assert.deepEqual(operations.map(({ method, path }) => `${method} ${path}`).sort(), declared.sort())
  assert.equal(document.openapi, '3.1.0')
})

test('every operation has a unique name and a sentence', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(names).size, names.length, 'the names differ')
  for (const name of names) assert.match(name, /^(get|post|put|delete)[A-Z][A-Za-z0-9]*$/)
  for (const { operation } of operations) assert.match(operation.summary, /\.$/)
})

test('every part of a path is declared, and required', () => {
  for (const { path, operation } of operations) {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
    assert.deepEqual(
      inPath.map(({ name }) => name),
      Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name),
    )
    assert.ok(
      inPath.every(({ required }) => required),
      path,
    )
  }
})

test('every reference has a target', () => {
  const references = Array.from(JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g), ([, to]) => to!)
  assert.ok(references.length > 0)
  for (const reference of new Set(references)) {
    assert.match(reference, /^#\//)
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document)
    assert.ok(found, reference)
  }
})

test('every possible error of a route is listed under its status', () => {
  for (const declared of routes) {
    const { operation } = operationOf(declared.method, declared.path)
    const codes = [
      ...declared.errors,
      'internal' as const,
      ...(declared.may === 'anyone' ? [] : ['unauthorized' as const]),
    ]
    for (const code of codes) {
      const response = operation.responses[declared.errorStatuses[code] ?? errorStatus[code]]
      assert.ok(response, `${declared.path} answers ${code}`)
      assert.ok(response.description.split(', ').includes(code))
      assert.ok(JSON.stringify(response.content).includes(`"${code}"`))
    }
  }
})

test('a route states that it needs no session, or which roles it needs', () => {
  assert.deepEqual(operationOf('POST', '/api/login').operation.security, [])
  const { operation } = operationOf('POST', '/api/link-codes')
  assert.deepEqual(operation.security, [{ session: [] }])
  assert.match(JSON.stringify(operation), /For the roles admin, superadmin\./)
  assert.ok(operation.responses['403'])
})

test('a route for API keys says so, and names the permission', () => {
  const { operation } = operationOf('GET', '/api/external-tasks')
  assert.deepEqual(operation.security, [{ session: [] }, { api_key: [] }])
  assert.match(JSON.stringify(operation), /and API keys with tasks:read\./)
})

test('a form is described as a form, and a body that may be omitted as optional', () => {
  const login = operationOf('POST', '/api/login').operation.requestBody!
  assert.equal(login.required, true)
  assert.deepEqual(login.content['application/x-www-form-urlencoded']?.schema, {
    type: 'object',
    properties: {
      username: { type: 'string', minLength: 1, maxLength: 254 },
      password: { type: 'string', minLength: 1, maxLength: 1024 },
      code: { type: 'string', maxLength: 64 },
    },
    required: ['username', 'password'],
  })
  assert.equal(operationOf('POST', '/api/link-codes').operation.requestBody?.required, false)
})

test('requests are described as they are written, and answers as they are sent', () => {
  const paged = route('POST /api/pages/:id', {
    summary: 'Pages.',
    may: 'anyone',
    params: z.object({ id: IdParam }),
    query: z.object({ limit: z._default(z.string(), '5'), of: z.string() }),
    body: z.object({ uses: z._default(z.int(), 1) }),
    reply: z.object({ uses: z._default(z.int(), 1) }),
    status: 201,
    otherStatus: 200,
    errors: ['too_many_attempts'],
  })
  const { parameters, requestBody, responses } = documentOf([paged]).paths['/api/pages/{id}']!.post!
  assert.deepEqual(parameters, [
    {
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'string', pattern: String.raw`^[1-9]\d{0,14}$` },
      example: '7',
    },
    { name: 'limit', in: 'query', required: false, schema: { type: 'string', default: '5' } },
    { name: 'of', in: 'query', required: true, schema: { type: 'string' } },
  ])
  const uses = { uses: { type: 'integer', default: 1 } }
  assert.deepEqual(requestBody?.content['application/json']?.schema, { type: 'object', properties: uses })
  const reply = { 'application/json': { schema: { type: 'object', properties: uses, required: ['uses'] } } }
  assert.deepEqual([responses['200']?.content, responses['201']?.content], [reply, reply])
  assert.ok(responses['429']?.headers)
})

function operationOf(method: string, path: string) {
  const named = path.replace(/:(\w+)/g, '{$1}')
  const found = operations.find((each) => each.path === named && each.method === method.toLowerCase())
  assert.ok(found, `${method} ${path}`)
  return found
}
