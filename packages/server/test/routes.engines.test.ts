import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { changeDevice } from '@sdd/contract/fleet/device-changes.ts'
import { createCampaign, readCampaign, startCampaign } from '@sdd/contract/people/campaigns.ts'
import { uploadRows } from '@sdd/contract/people/campaign-rows.ts'
import { previewCampaign } from '@sdd/contract/people/campaign-checks.ts'
import * as contract from '@sdd/contract/fleet/routes.ts'
import { createTasks, type TaskResults } from '@sdd/contract/tasks/tasks.ts'
import { SECOND } from './clock.ts'
import { connectDevice } from './device.ts'
import { withTables } from './engine.ts'
import { givenTo, startFleet } from './fleet.ts'
import { newUser } from './seeds.ts'
import { call } from './server.ts'

type NewRule = Partial<contract.NewRouteRule>

/** A fleet whose company has routes. */
async function startRouted(t: TestContext) {
  const fleet = await startFleet(t)
  const { server, token, key } = fleet
  const save = (routes: NewRule[], more: { version?: number } = {}) => {
    const whole = routes.map((route) => ({ match: {}, via: null, fallback: 'wait', enabled: true, ...route }))
    return call(server, contract.saveRoutes, {
      token,
      body: { routes: whole, ...more } as contract.RoutesChange,
    })
  }
  return {
    ...fleet,
    save,
    async route(...routes: NewRule[]) {
      const { status, body } = await save(routes)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    },
    list: async () => (await call(server, contract.readRoutes, { token })).body,
    tag: (uid: string, ...tags: string[]) =>
      call(server, changeDevice, { token, params: { uid }, body: { tags } }),
    async joinTagged(uid: string, tags: string[], ...numbers: string[]) {
      const device = await fleet.join(uid, ...numbers)
      await call(server, changeDevice, { token, params: { uid }, body: { tags } })
      return device
    },
    submit: (task: Record<string, unknown>) =>
      call(server, createTasks, {
        token: key,
        body: { to_number: '+34600111222', text: 'hola', ...task } as never,
      }),
    trial: async (body: Record<string, unknown> = {}) =>
      (
        await call(server, contract.testRoutes, {
          token,
          body: { to_number: '+34600111222', ...body } as contract.RouteTrial,
        })
      ).body,
    waits: async (guid: string) => {
      await fleet.lookedAtAll()
      const { state, waiting_code, waiting_params } = await fleet.entry(guid)
      assert.equal(state, 'queued')
      const { tag, number } = waiting_params ?? {}
      return { code: waiting_code, tag, ...(typeof number === 'string' && { number }) }
    },
  }
}

test('a list of routes keeps its ids, has a version and warns of tags without devices', async (t) => {
  const { list, save, joinTagged, server, superadmin, token } = await startRouted(t)
  assert.deepEqual(await list(), { routes: [], version: 0, warnings: [], saved_at: null, saved_by: null })
  await joinTagged('drone-1', ['north'])
  const first = await save([
    {
      match: { prefix: ['+34612', '+34613'], class: 'code' },
      via: 'north',
      fallback: 'any',
      note: ' Orange ',
    },
    { via: 'SOUTH', fallback: 'refuse', fallback_after_secs: 5, enabled: false },
  ])
  assert.equal(first.status, 200)
  const [one, other] = first.body.routes
  assert.deepEqual(
    { ...one, id: 0 },
    {
      id: 0,
      match: { prefix: ['+34612', '+34613'], class: 'code' },
      via: 'north',
      fallback: 'any',
      fallback_after_secs: 0,
      enabled: true,
      note: 'Orange',
    },
  )
  assert.equal(other!.via, 'south', 'tags are kept in lower case')
  assert.deepEqual(
    first.body.warnings.map(({ route }) => route),
    [other!.id],
  )
  assert.deepEqual(await list(), first.body)
  const second = await save([other!, {}, one!], { version: first.body.version })
  assert.deepEqual(
    second.body.routes.map(({ id }) => id).filter((id) => id === one!.id || id === other!.id),
    [other!.id, one!.id],
  )
  const fresh = second.body.routes[1]!.id
  assert.ok(fresh !== one!.id && fresh !== other!.id)
  const late = await save([], { version: first.body.version })
  assert.deepEqual([late.status, (late.body as { code?: string }).code], [409, 'routes_changed'])
  assert.deepEqual(await list(), second.body)
  assert.deepEqual((await save([])).body.routes, [])
  const user = await newUser(server, superadmin, { role: 'user', companyId: 2 })
  assert.equal((await call(server, contract.readRoutes, { token: user.token })).status, 200)
  const refused = await call(server, contract.saveRoutes, { token: user.token, body: { routes: [] } })
  assert.equal(refused.status, 403)
  assert.deepEqual((await call(server, contract.readRoutes, { token: superadmin })).body.routes, [])
  const query = { company: '2' } as never
  const theirs = await call(server, contract.saveRoutes, { token: superadmin, query, body: { routes: [] } })
  assert.equal(theirs.status, 200)
  assert.equal((await call(server, contract.readRoutes, { token })).body.version, theirs.body.version)
})

test('one bad route refuses the list and is named by its place', async (t) => {
  const { save, list } = await startRouted(t)
  const before = await list()
  const faulty: [NewRule[], string][] = [
    [[{}, { via: 'any' }], 'routes.1.via'],
    [[{}, { fallback: 'no tag' }], 'routes.1.fallback'],
    [[{ fallback_after_secs: 86_401 }], 'routes.0.fallback_after_secs'],
    [[{ note: 'x'.repeat(201) }], 'routes.0.note'],
    [[{ match: { prefix: '34' } }], 'routes.0.match.prefix'],
    [[{ match: { prefix: [] } }], 'routes.0.match.prefix'],
    [[{ match: { country: 'QQ' } }], 'routes.0.match.country'],
    [[{ match: { class: ['code', 'urgent' as never] } }], 'routes.0.match.class'],
    [[{ match: { api_key_id: 9_999 } }], 'routes.0.match.api_key_id'],
    [[{ match: { campaign: 9_999 } }], 'routes.0.match.campaign'],
    [[{ id: 77 }], 'routes.0.id'],
    [Array.from({ length: 201 }, () => ({})), 'routes'],
  ]
  for (const [routes, field] of faulty) {
    const { status, body } = await save(routes)
    const { fields } = body as unknown as { fields?: Record<string, string> }
    assert.deepEqual([status, Object.keys(fields ?? {})], [422, [field]], JSON.stringify(body))
  }
  const { body } = await save([{}])
  const twice = await save([body.routes[0]!, body.routes[0]!])
  assert.deepEqual(Object.keys((twice.body as never as { fields: object }).fields), ['routes.1.id'])
  assert.notDeepEqual(await list(), before)
})

test('the first enabled route that matches decides, and a new list holds at once for waiting messages', async (t) => {
  const { joinTagged, join, route, hand, waits, eventually, submit } = await startRouted(t)
  const north = await joinTagged('north', ['north'])
  const other = await join('other')
  await route(
    { match: { prefix: '+34600' }, via: 'south', enabled: false },
    { match: { prefix: ['+351', '+34611'] }, via: 'south' },
    { match: { country: 'ES', class: ['transactional'] }, via: 'north' },
    { via: 'south' },
  )
  const spanish = await hand({ to_number: '+34600111222' })
  await north.until(1)
  assert.deepEqual(givenTo(north), [spanish])
  const first = await hand({ to_number: '+34611000111' })
  assert.deepEqual(await waits(first), { code: 'route', tag: 'south' })
  const french = await hand({ to_number: '+33612345678' })
  assert.deepEqual(await waits(french), { code: 'route', tag: 'south' })
  await route({ match: { prefix: '+34' }, via: 'north' }, { match: { country: ['FR'] }, via: 'west' })
  await north.until(2)
  assert.deepEqual(await waits(french), { code: 'route', tag: 'west' })
  await route()
  await eventually(() => givenTo(north).length + givenTo(other).length === 3)
  assert.ok(givenTo(north).includes(first))
  assert.deepEqual([...givenTo(north), ...givenTo(other)].sort(), [first, french, spanish].sort())
  await route({ match: { prefix: '+34' }, via: 'north', fallback: 'refuse' }, { fallback: 'refuse' })
  assert.equal((await submit({})).status, 202, 'a device with the tag could send it one day')
  const refused = await submit({ to_number: '+33612345678' })
  assert.deepEqual([refused.status, (refused.body as { code?: string }).code], [422, 'no_route'])
})

test('a batch refuses only the messages whose route refuses them, and a disabled device is none', async (t) => {
  const { joinTagged, route, server, key, setEnabled } = await startRouted(t)
  await joinTagged('north', ['north'])
  await route({ match: { prefix: '+34' }, via: 'north', fallback: 'refuse' })
  const tasks = ['+34600111222', '+33612345678'].map((to_number) => ({ to_number, text: 'hola' }))
  const submit = async () =>
    ((await call(server, createTasks, { token: key, body: { tasks } })).body as TaskResults).results.map(
      (result) => ('code' in result ? result.code : result.status),
    )
  assert.deepEqual(await submit(), ['received', 'received'])
  await setEnabled('north', false)
  assert.deepEqual(await submit(), ['no_route', 'received'])
})

test('the fallback has a turn once no device of the route can send, and the wait of the route is over', async (t) => {
  const { joinTagged, route, hand, waits, clock, eventually, server, device } = await startRouted(t)
  const north = await joinTagged('north', ['north'])
  const south = await joinTagged('south', ['south'])
  const other = await joinTagged('other', [])
  await route({ via: 'north', fallback: 'south', fallback_after_secs: 60 })
  const first = await hand()
  await north.until(1)
  north.vanish()
  await eventually(async () => (await device('north')).status === 'disconnected')
  const second = await hand()
  assert.deepEqual(await waits(second), { code: 'none_can', tag: 'north' })
  clock.advance(61 * SECOND)
  await south.until(1)
  assert.deepEqual([givenTo(north), givenTo(south), givenTo(other)], [[first], [second], []])
  await route({ via: 'north', fallback: 'any' })
  const third = await hand()
  await eventually(() => givenTo(south).length + givenTo(other).length === 2)
  assert.ok([...givenTo(south), ...givenTo(other)].includes(third))
  const back = await connectDevice({ ...north.linked, mqtt_url: server.mqtt_url })
  const fourth = await hand()
  await eventually(() => givenTo(back).includes(fourth))
})

test('a route narrows what the message asks for, and the usual device of a number', async (t) => {
  const { joinTagged, route, hand, waits, tag } = await startRouted(t)
  const one = await joinTagged('one', ['north'], '600000001')
  const two = await joinTagged('two', ['south'], '600000002')
  await route({ via: 'south' })
  const task = { to_number: '+34611222333' }
  const first = await hand(task)
  await two.until(1)
  await two.report({ guid: first, state: 'sent' })
  await route({ via: 'north' })
  await hand(task)
  await one.until(1)
  const waiting = await hand({ from_number: '600000002' })
  assert.deepEqual(await waits(waiting), { code: 'route', tag: 'north', number: '+34600000002' })
  await tag('two', 'north')
  await two.until(2)
  assert.deepEqual(givenTo(two), [first, waiting])
})

test('a device that lost the tag of a route no longer sends what waited in its own lane', async (t) => {
  const { joinTagged, route, hand, tag, set, waits, lookedAtAll } = await startRouted(t)
  const one = await joinTagged('one', ['north'])
  await route({ via: 'north' })
  const task = { to_number: '+34611222333' }
  const first = await hand(task)
  await one.until(1)
  await one.report({ guid: first, state: 'sent' })
  await set(0, false)
  const second = await hand(task)
  await lookedAtAll()
  await tag('one', 'south')
  await set(0)
  assert.deepEqual(await waits(second), { code: 'route', tag: 'north' })
  assert.deepEqual(givenTo(one), [first])
  const two = await joinTagged('two', ['north'])
  await two.until(1)
  assert.deepEqual(givenTo(two), [second])
})

test('a message that its route refuses by now waits, and a row of a campaign that it refuses is invalid', async (t) => {
  const { joinTagged, route, hand, waits, set, server, token, eventually } = await startRouted(t)
  const north = await joinTagged('north', ['north'])
  await set(0, false)
  const [kept, going] = [await hand({ to_number: '+34803000111' }), await hand({ to_number: '+34600111222' })]
  await route({ match: { prefix: '+34803' }, fallback: 'refuse' })
  await set(0)
  await eventually(() => givenTo(north).includes(going))
  assert.deepEqual(await waits(kept), { code: 'route', tag: null })

  const body = { name: 'June', text: 'hola', class: 'transactional' } as const
  const { id } = (await call(server, createCampaign, { token, query: {}, body })).body
  const params = { id: String(id) }
  const rows = ['+34803000222', '+34600111333'].map((number) => ({ number }))
  await call(server, uploadRows, { token, params, body: { first_row: 1, rows, last: true } })
  const preview = (await call(server, previewCampaign, { token, params })).body
  assert.deepEqual(
    [preview.sendable, preview.invalid, preview.faults.map(({ code }) => code)],
    [1, 1, ['no_route']],
  )
  await call(server, startCampaign, { token, params, body: { rows: 1 } })
  await eventually(() => givenTo(north).includes(`campaign:${id}:2`))
  const { counts } = (await call(server, readCampaign, { token, params })).body
  assert.equal(counts.skipped, 1)
})

test('a trial names the route, the devices in their order, and why each is left out', async (t) => {
  const { joinTagged, join, route, trial, setEnabled, set, submit } = await startRouted(t)
  assert.equal((await trial()).route, null)
  const north = await joinTagged('north', ['north'], '600000001')
  await joinTagged('off', ['north'])
  await setEnabled('off', false)
  await join('other')
  const { routes } = await route(
    { match: { prefix: '+351' }, via: 'south' },
    { enabled: false },
    { match: { country: 'ES' }, via: 'north', fallback: 'any', fallback_after_secs: 60 },
    { match: { class: 'code' }, fallback: 'refuse' },
    {},
  )
  const [, , third, fourth, last] = routes
  const tried = await trial()
  assert.equal(tried.route, third!.id)
  assert.equal(tried.chosen, 'north')
  assert.deepEqual(tried.candidates, [
    { uid: 'north', fit: true, why: null },
    { uid: 'off', fit: false, why: 'disabled' },
    { uid: 'other', fit: false, why: 'fallback_later' },
  ])
  assert.deepEqual(
    tried.rules.map(({ match, why }) => [match, why]),
    [
      [false, 'prefix'],
      [true, 'disabled'],
      [true, null],
      [false, 'class'],
      [true, 'later'],
    ],
  )
  const refused = await trial({ to_number: '+33612345678', class: 'code' })
  assert.deepEqual(
    [refused.route, refused.chosen, refused.refused, refused.candidates.map(({ why }) => why)],
    [fourth!.id, null, 'no_route', ['not_in_route', 'not_in_route', 'not_in_route']],
  )
  const any = await trial({ to_number: '+33612345678', from_number: '600000001' })
  assert.deepEqual([any.route, any.chosen], [last!.id, 'north'])
  assert.deepEqual(
    any.candidates.map(({ why }) => why),
    [null, 'disabled', 'sim'],
  )
  await set(0, false)
  assert.deepEqual((await trial()).candidates[0], { uid: 'north', fit: false, why: 'sending_off' })
  await set(0, true)
  await set(600)
  await submit({})
  await north.until(1)
  const paced = await trial()
  assert.equal(paced.candidates.find(({ uid }) => uid === 'north')!.why, 'pacing')
})

test('a trial says that a device is quarantined before it says that its window is full', async (t) => {
  const { join, trial, server } = await startRouted(t)
  await join('north')
  const whyAfter = async (until: string | null) => {
    await withTables(server, async ({ all }) => {
      await all('update capacity set unfinished = 10 returning device_id')
      await all('update devices set quarantined_until = ? returning id', until)
    })
    return (await trial()).candidates[0]!.why
  }
  assert.equal(await whyAfter(new Date(Date.now() + 600_000).toISOString()), 'quarantined')
  assert.equal(await whyAfter(null), 'window_full')
})

test('a trial does not route a campaign that names its devices by a tag', async (t) => {
  const { joinTagged, route, trial, server, token, superadmin } = await startRouted(t)
  await joinTagged('north', ['north'])
  await joinTagged('south', ['south'])
  const { routes } = await route({ via: 'north', fallback: 'refuse' })
  const create = async (via: string | undefined, as = token) => {
    const body = { name: 'June', text: 'hola', class: 'transactional', ...(via && { via }) } as const
    const { status, body: campaign } = await call(server, createCampaign, { token: as, query: {}, body })
    assert.equal(status, 201)
    return campaign.id
  }
  const named = await trial({ campaign: await create('south') })
  assert.deepEqual([named.route, named.chosen, named.rules], [null, 'south', []])
  assert.deepEqual(named.candidates.at(-1), { uid: 'north', fit: false, why: 'not_in_route' })
  for (const id of [await create(undefined), await create('south', superadmin)]) {
    const tried = await trial({ campaign: id })
    assert.deepEqual([tried.route, tried.chosen, tried.rules.length], [routes[0]!.id, 'north', 1])
  }
})
