import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { registerSchema, validate as validateDraft7 } from '@hyperjump/json-schema/draft-07'
import { validate } from '@hyperjump/json-schema/openapi-3-1'
import { routes } from '@sdd/contract/app/api.ts'
import { commandOf, exampleOf, exampleParams } from '@sdd/contract/app/examples.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import { requestTo } from './asking.ts'
import { testClock } from './clock.ts'
import { type MarkedCompany, newMarkedCompany } from './marked-company.ts'
import { proveIt } from './proving.ts'
import { enter, newUser, PASSWORD } from './seeds.ts'
import { ADMIN, startServer, type TestServer } from './server.ts'

/** The descriptions of the API, the page that is made from them, and the commands on it. */

let server: TestServer
let company: MarkedCompany
let superadmin: string

before(async () => {
  const clock = testClock(new Date().toISOString())
  server = await startServer({ clock, settings: { CALLBACK_ADDRESSES: 'any' } })
  superadmin = (await enter(server, ADMIN.username, ADMIN.password)).token
  company = await newMarkedCompany(server, superadmin, { id: 2, mark: 'ourmark', digits: '3480081' })
})
after(async () => {
  await company.stop()
  await server.stop()
})

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers })

test('the OpenAPI document is valid by the schema of OpenAPI 3.1', async () => {
  const document = (await (await get('/api/openapi.json')).json()) as object
  const output = await validate('https://spec.openapis.org/oas/3.1/schema-base', document as never, 'BASIC')
  assert.deepEqual(output, { valid: true })
})

test('the AsyncAPI document is valid by the schema of AsyncAPI 3', async () => {
  const path = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json')
  const schema = JSON.parse(readFileSync(path, 'utf8')) as { $id: string }
  registerSchema(schema as never)
  const document = (await (await get('/asyncapi.json')).json()) as { channels: object }
  const output = await validateDraft7(schema.$id, document as never, 'BASIC')
  assert.deepEqual(output, { valid: true })
  assert.equal((await validateDraft7(schema.$id, { ...document, channels: 1 } as never)).valid, false)
  assert.ok('DevicesReports' in document.channels)
})

test('the catalog names every description, and each is there', async () => {
  const answer = await get('/.well-known/api-catalog')
  assert.match(answer.headers.get('content-type')!, /^application\/linkset\+json; profile=/)
  const { linkset } = (await answer.json()) as { linkset: Record<string, { href: string }[]>[] }
  const named = Object.values(linkset[0]!).filter(Array.isArray).flat()
  assert.equal(named.length, 4)
  for (const { href } of named) assert.equal((await get(href)).status, 200, href)
})

test('the reference has every route and event, and no script', async () => {
  const answer = await get('/docs')
  assert.match(answer.headers.get('content-security-policy')!, /^default-src 'none'; style-src 'self';/)
  const html = await answer.text()
  assert.doesNotMatch(html, /<script|style=|(src|href)="(?![#/])/)
  const document = (await (await get('/api/openapi.json')).json()) as {
    paths: Record<string, object>
    webhooks: object
  }
  for (const path of [...Object.keys(document.paths), ...Object.keys(document.webhooks)])
    assert.ok(html.includes(`<code>${path}</code>`), path)
  const ids = Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
  assert.equal(new Set(ids).size, ids.length)
})

test('every route that needs a body has an example, which the contract accepts', () => {
  for (const route of routes.filter(({ body }) => body)) {
    const example = exampleOf(route)
    assert.ok(example !== undefined || route.body!.safeParse({}).success, route.path)
    if (example !== undefined) assert.ok(route.body!.safeParse(example).success, route.path)
  }
})

/** Refusals that are right here: the command reaches the rule. So are conflicts with the state, which are 409. */
const REFUSED: Record<string, string> = {
  'POST /api/sims/:iccid/balance': 'no_balance_query',
  'DELETE /api/link-codes/:id': 'unknown_link_code',
  'POST /api/broker/authenticate': 'not_found',
  'POST /api/broker/authorize': 'not_found',
}

for (const route of routes.filter(({ path }) => path !== '/api/logout')) {
  const name = `${route.method} ${route.path}`
  test(`the command of the reference for ${name} runs`, async () => {
    const { status, code } = await run(route)
    const done = status === route.status || status === route.otherStatus
    const conflict = status === 409 && (route.errors as readonly (string | undefined)[]).includes(code)
    assert.ok(done || conflict || (code !== undefined && code === REFUSED[name]), `${status} ${code}`)
  })
}

/** Runs the command, with the names of existing things in place of those of the example. */
async function run(route: Route): Promise<{ status: number; code: string | undefined }> {
  const { params, body } = await requestTo(route, server, company, { fresh: route.method !== 'GET' })
  let command = commandOf(route)
  for (const [name, value] of Object.entries(params))
    command = command.replace(encodeURIComponent(exampleParams[name]!), encodeURIComponent(value))
  const known: Record<string, unknown> = { password: PASSWORD, ...(body as object) }
  const example = exampleOf(route) as Record<string, unknown> | undefined
  for (const name of ['device_uid', 'uid', 'username', 'password', 'code']) {
    if (typeof example?.[name] === 'string' && typeof known[name] === 'string')
      command = command.replaceAll(example[name], known[name])
  }
  command = command.replace('["roof-1"]', JSON.stringify([company.device.uid]))
  // Each has a password and a second factor of its own, which some commands change.
  const { token } = await newUser(server, superadmin, { role: 'admin', companyId: company.id })
  const by = route.may === 'quotas:write' ? superadmin : token
  await proveIt(server, by)
  const env = { ...process.env, SDD_URL: server.url, SDD_TOKEN: by }
  const { stdout } = await promisify(execFile)('bash', ['-euc', `${command} -w '\\n%{http_code}'`], { env })
  const lines = stdout.trimEnd().split('\n')
  const status = Number(lines.pop())
  const code = status < 400 ? undefined : (JSON.parse(lines.join('\n')) as { code: string }).code
  return { status, code }
}
