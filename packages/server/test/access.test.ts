import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listAudit } from '@sdd/contract/accounts/audit.ts'
import { routes } from '@sdd/contract/app/api.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import { keyPermissions } from '@sdd/contract/core/roles.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import { openapi } from '@sdd/contract/core/system.ts'
import { another, type Asker, expiredAskers, insiders, strangers, verdictOn, type Verdict } from './askers.ts'
import {
  companiesIn,
  nounOf,
  type Request,
  requestTo,
  type Said,
  say,
  type Variant,
  variantsOf,
  withoutEcho,
} from './asking.ts'
import { testClock } from './clock.ts'
import { type Description, openDescription } from './described.ts'
import { linkTestDevice } from './device.ts'
import { idsOf, type MarkedCompany, newMarkedCompany } from './marked-company.ts'
import { fieldsOf } from './samples.ts'
import { enter } from './seeds.ts'
import { ADMIN, call, startServer, type TestServer } from './server.ts'

/**
 * Every kind of caller calls every route. The routes come from the contract's list, the requests from their schemas,
 * and the expected answers from each route's declaration. A new route is covered once it is in the list.
 */

let server: TestServer
let superadmin: Asker
let ours: MarkedCompany
let theirs: MarkedCompany
let outside: Asker[]
/** The API description that the server publishes; each answer is checked against it. */
let description: Description
let inside: Asker[]
/** Data of another company, which neither our users nor anonymous callers may ever read. */
const THEIRS = { id: 2, mark: 'theirmark', digits: '3470071' }
const OURS = { id: 3, mark: 'ourmark', digits: '3480081' }

before(async () => {
  const clock = testClock(new Date().toISOString())
  server = await startServer({ clock, settings: { CALLBACK_ADDRESSES: 'any' } })
  description = openDescription((await call(server, openapi)).body)
  const expired = await expiredAskers(server, clock)
  const { token } = await enter(server, ADMIN.username, ADMIN.password)
  superadmin = { who: 'superadmin', token, role: 'superadmin', company_id: 1 }
  theirs = await newMarkedCompany(server, token, THEIRS)
  ours = await newMarkedCompany(server, token, OURS)
  outside = [...expired, ...(await strangers(server, token, ours))]
  inside = await insiders(ours)
})
after(async () => {
  await Promise.all([ours.stop(), theirs.stop()])
  await server.stop()
})

/** A user may take at most four files at once. */
const canOverlap = ({ method, path }: Route) => method === 'GET' && !path.endsWith('.csv')
const nameOf = ({ method, path }: Route) => `${method} ${path}`
const opened = new Set<string>()

for (const route of routes) {
  test(`${nameOf(route)} answers every caller as the contract declares it`, async () => {
    // If anybody may call the route, one caller of each kind is enough.
    const others = route.may === 'anyone' ? [outside[0]!, outside[3]!, inside[0]!] : [...outside, ...inside]
    // Refused calls change nothing, so those callers may ask in parallel.
    const { allowed = [], refused = [] } = Object.groupBy([...others, superadmin], (asker) =>
      verdictOn(route, asker, ours.id) === 'allowed' ? 'allowed' : 'refused',
    )
    await Promise.all(refused.map((asker) => askForAll(route, asker)))
    for (const asker of allowed) await askForAll(route, asker)
  })
}

async function askForAll(route: Route, asker: Asker): Promise<void> {
  for (const variant of variantsOf(route)) await askFor(route, asker, ours, variant)
  if ((await requestTo(route, server, theirs)).names) await askFor(route, asker, theirs, {})
}

/** Asks for something of that company, and checks the answer. */
async function askFor(route: Route, asker: Asker, company: MarkedCompany, variant: Variant): Promise<void> {
  const where = `${nameOf(route)} by ${asker.who}, about ${company.mark} ${JSON.stringify(variant)}`
  const changes = route.method !== 'GET'
  const standing = await requestTo(route, server, company, variant)
  const verdict = verdictOn(route, asker, standing.names ? company.id : undefined)
  const allowed = verdict === 'allowed'
  const request =
    allowed && changes ? await requestTo(route, server, company, { ...variant, fresh: true }) : standing
  const by = allowed && changes && !request.names ? await another(server, superadmin.token!, asker) : asker
  const reply = await say(server, route, request, by.token)
  judge(where, route, verdict, reply, variant)
  description.assertDescribed(where, route, reply)
  if (reply.status < 400) assert.deepEqual(description.faultsOfRequest(route, request), [], where)
  if (asker.role === 'superadmin') return
  refuseLeak(where, request, reply, asker.company_id === undefined && route.may !== 'anyone')
}

function judge(
  where: string,
  route: Route,
  verdict: Verdict,
  { status, body, headers }: Said,
  { all = false }: Variant = {},
): void {
  const what = `${where}: ${status} ${JSON.stringify(body).slice(0, 300)}`
  if (verdict === 'unauthorized') {
    assert.deepEqual(
      [status, body.code, headers.get('www-authenticate')],
      [401, 'unauthorized', 'Bearer'],
      what,
    )
  } else if (verdict === 'forbidden') {
    assert.deepEqual([status, body.code], [403, 'forbidden'], what)
  } else if (verdict === 'unknown') {
    assert.equal(status, 404, what)
    assert.ok(body.code!.startsWith('unknown_') && (route.errors as string[]).includes(body.code!), what)
  } else if (status === route.status || status === route.otherStatus) {
    opened.add(nameOf(route))
  } else {
    // If a rule refuses for a reason other than the caller, the route must declare it. Some fields exclude each other.
    const declared: string[] = [...route.errors, ...(all ? ['invalid'] : [])]
    assert.ok(declared.includes(body.code!), what)
  }
}

/** The answer has no row of the other company and, for a caller without a session, none of ours. */
function refuseLeak(where: string, request: Partial<Request>, reply: Said, nothingOfOurs: boolean): void {
  const text = withoutEcho(withoutExports(reply), request)
  assert.doesNotMatch(text, theirs.marked, where)
  if (nothingOfOurs) assert.doesNotMatch(text, ours.marked, where)
  const companies = companiesIn(reply.body)
  assert.ok(
    [...companies].every((id) => id === ours.id),
    `${where}: rows of ${[...companies].join()}`,
  )
}

/** The audit log and its file record the search terms of this test's own exports. */
function withoutExports({ text, body }: Said): string {
  const { entries } = Object(body) as { entries?: { action?: string }[] }
  if (entries) return JSON.stringify(entries.filter(({ action }) => !action?.endsWith('.exported')))
  return text.replace(/^.*,(log|task)\.exported,.*\r?\n?/gm, '')
}

test('every read-only route has answered some caller, and so have almost all others', (t) => {
  const silent = routes.filter((route) => !opened.has(nameOf(route)))
  t.diagnostic(`refused to everybody, each for a reason that it declares: ${silent.map(nameOf).join(', ')}`)
  assert.deepEqual(silent.filter(({ method }) => method === 'GET').map(nameOf), [])
  assert.ok(silent.length <= routes.length / 5, silent.map(nameOf).join(', '))
})

test('a thing of another company and a missing one get the same answer', async () => {
  const admin = inside.find(({ role }) => role === 'admin')!
  for (const route of routes) {
    if (verdictOn(route, admin, theirs.id) !== 'unknown') continue
    const foreign = await requestTo(route, server, theirs)
    if (!foreign.names) continue
    const nowhere = await requestTo(route, server, 'nowhere')
    const answers = await Promise.all(
      [foreign, nowhere].map(async (request) => {
        const { status, body } = await say(server, route, request, admin.token)
        delete body.status // the detail again
        const named = [
          ...Object.values(request.params),
          ...Object.values(request.query),
          ...Object.values(Object(request.body) as object),
        ]
        const detail = named.reduce<string>(
          (left, value) => left.replaceAll(String(value), '…'),
          body.detail ?? '',
        )
        return { status, ...body, detail }
      }),
    )
    assert.deepEqual(answers[0], answers[1], nameOf(route))
  }
})

test('no id in a path leads to another company, whatever kind of row has it', async () => {
  const admin = inside.find(({ role }) => role === 'admin')!
  const foreign = (await idsOf(server, theirs.id)).difference(await idsOf(server, ours.id))
  assert.ok(foreign.size > 3)
  for (const route of routes) {
    if (!/:id\b/.test(route.path)) continue
    await Promise.all(
      [...foreign].map(async (id) => {
        const request = await requestTo(route, server, ours, { id })
        const reply = await say(server, route, request, admin.token)
        judge(`${nameOf(route)} with the id ${id}`, route, 'unknown', reply)
        refuseLeak(nameOf(route), request, reply, false)
      }),
    )
  }
})

test('no query shows or changes anything of another company', async () => {
  const { admin, user, member, key, webhook } = theirs
  const ids = [theirs, admin, user, member, key, webhook].map(({ id }) => String(id))
  const texts = [
    theirs.mark,
    theirs.device.uid,
    theirs.guid,
    theirs.task,
    '700700',
    '%',
    '_',
    '*',
    "' or 1=1 --",
  ]
  for (const route of routes) {
    for (const asker of inside.filter((each) => verdictOn(route, each, ours.id) === 'allowed')) {
      for (const { name } of fieldsOf(route.query)) {
        const askWith = async (value: string) => {
          const request = { ...(await requestTo(route, server, ours)), query: { [name]: value } }
          const reply = await say(server, route, request, asker.token)
          assert.ok(reply.status < 500, `${nameOf(route)} ?${name}=${value}: ${reply.text}`)
          refuseLeak(`${nameOf(route)} ?${name}=${value} by ${asker.who}`, request, reply, false)
        }
        const values = route.method === 'GET' ? [...ids, ...texts] : ids
        if (canOverlap(route)) await Promise.all(values.map(askWith))
        else for (const value of values) await askWith(value)
      }
    }
  }
  for (const { token } of [admin, user])
    assert.equal(
      (await call(server, devices.listDevices, { token })).status,
      200,
      'no user of the other company was shut out',
    )
})

test('the data used here can be found: its own company reads it on most routes, a superadmin on all of them', async () => {
  const found: string[] = []
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const request = await requestTo(route, server, theirs)
    const [own, all] = await Promise.all(
      [theirs.admin.token, superadmin.token].map((token) => say(server, route, request, token)),
    )
    if (!theirs.marked.test(own!.text)) continue
    found.push(nameOf(route))
    assert.match(all!.text, theirs.marked, nameOf(route))
  }
  assert.ok(found.length >= 14, found.join(', '))
})

test('nothing that a company reads changes with events in another company, totals included', async () => {
  const reading = inside.filter(({ role }) => role === 'admin' || role === 'user')
  const read = async () => {
    const texts: Record<string, string> = {}
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      for (const asker of reading) {
        const request = await requestTo(route, server, ours)
        // Each reading records its exports, which must push no other entry off the page.
        const query = route === listAudit ? { ...request.query, limit: '1000' } : request.query
        const text = withoutExports(await say(server, route, { ...request, query }, asker.token))
        texts[`${nameOf(route)} by ${asker.who}`] = text.replace(/^date: .*$|"last_seen_at":"[^"]*"/gm, '')
      }
    }
    return texts
  }
  const before = await read()
  const another = await newMarkedCompany(server, superadmin.token!, {
    id: 4,
    mark: 'fourthmark',
    digits: '3450051',
  })
  assert.deepEqual(await read(), before)
  await another.stop()
})

test('public information about the server says nothing about any company', async () => {
  for (const path of [
    '/metrics',
    '/api/openapi.json',
    '/healthz',
    '/readyz',
    '/',
    '/devices',
    '/nowhere.js',
    '/api/nowhere',
  ]) {
    const { text, status } = await say(server, { method: 'GET', path, encoding: 'json' }, {}, undefined)
    assert.ok(status < 500 || path === '/' || path === '/devices', `${path}: ${status}`)
    for (const { marked } of [theirs, ours]) assert.doesNotMatch(text, marked, path)
  }
})

test('an API key opens the routes of its permission, and no route that needs a session', async () => {
  for (const route of routes) {
    const forKeys = (keyPermissions as readonly string[]).includes(route.may)
    assert.equal(
      forKeys,
      ['external-tasks', 'external-tasks.csv', 'inbox'].includes(nounOf(route)),
      nameOf(route),
    )
  }
})

test('a link code joins a device to the company of the admin who made it, and the caller cannot name another', async () => {
  const { uid } = await linkTestDevice(server, theirs.admin.token, 'joined')
  const seenBy = async (token: string) =>
    (await call(server, devices.listDevices, { token })).body.devices.some((device) => device.uid === uid)
  assert.deepEqual([await seenBy(theirs.user.token), await seenBy(ours.admin.token)], [true, false])
  const code = await call(server, devices.createLinkCode, { token: theirs.admin.token })
  const meant = { code: code.body.code, uid: 'meant' }
  const elsewhere = { ...meant, company_id: ours.id }
  const refused = await call(server, devices.linkDevice, { token: ours.admin.token, body: elsewhere })
  assert.deepEqual([refused.status, Object.keys(refused.body.fields!)], [422, ['company_id']])
  assert.equal((await call(server, devices.linkDevice, { token: ours.admin.token, body: meant })).status, 201)
  const { body } = await call(server, devices.listDevices, { token: superadmin.token })
  assert.equal(body.devices.find((device) => device.uid === 'meant')?.company_id, theirs.id)
})
